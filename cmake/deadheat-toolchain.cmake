# Build a CMake project with deadheat:
#   cmake -S . -B build-deadheat -DCMAKE_TOOLCHAIN_FILE=.../deadheat-toolchain.cmake
# DEADHEAT_CC=clang in the environment makes deadheat-cc drive clang instead of gcc.
find_program(DEADHEAT_CC_PROGRAM deadheat-cc HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../build/bin" REQUIRED)
find_program(DEADHEAT_CXX_PROGRAM deadheat-c++ HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../build/bin" REQUIRED)
set(CMAKE_C_COMPILER "${DEADHEAT_CC_PROGRAM}")
set(CMAKE_CXX_COMPILER "${DEADHEAT_CXX_PROGRAM}")
set(CMAKE_C_FLAGS_INIT "-g")
set(CMAKE_CXX_FLAGS_INIT "-g")
