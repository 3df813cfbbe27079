# Tests that hunt: include(deadheat.cmake), then for a target built with deadheat-cc
#   deadheat_add_test(NAME queue-races COMMAND queue_test [ARG...] [FAIL_ON confirmed])
# ctest fails when something reaches FAIL_ON. Each test has a store of its own.
find_program(DEADHEAT_PROGRAM deadheat HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../build/bin")

function(deadheat_add_test)
	cmake_parse_arguments(T "" "NAME;FAIL_ON" "COMMAND" ${ARGN})
	if(NOT DEADHEAT_PROGRAM)
		message(FATAL_ERROR "deadheat_add_test: there is no deadheat; set DEADHEAT_PROGRAM")
	endif()
	if(NOT T_FAIL_ON)
		set(T_FAIL_ON confirmed)
	endif()
	list(GET T_COMMAND 0 program)
	if(TARGET ${program})
		list(REMOVE_AT T_COMMAND 0)
		list(PREPEND T_COMMAND "$<TARGET_FILE:${program}>")
	endif()
	add_test(NAME "${T_NAME}" COMMAND "${DEADHEAT_PROGRAM}" hunt --quiet --fail-on "${T_FAIL_ON}"
		--store "${CMAKE_CURRENT_BINARY_DIR}/${T_NAME}.deadheat" -- ${T_COMMAND})
endfunction()
