# make deb, unpacked: everything is in it, and it works from there; pkg-config, CMake with it.
. "$(dirname "$0")/../tap.sh"
command -v dpkg-deb >/dev/null || { echo "1..0 # skip no dpkg-deb"; exit 0; }
package=$(make -C "$TOP" -s deb | tail -n 1)
cd "$tmp" || exit 1
check "it is made" dpkg-deb --info "$TOP/$package"
check "it can be unpacked" dpkg-deb -x "$TOP/$package" root
for file in bin/deadheat bin/deadheat-cc bin/deadheat-c++ include/deadheat.h lib/deadheat/nop/libdeadheat_rt.so \
	lib/deadheat/detect/libdeadheat_rt.so lib/deadheat/sched/libdeadheat_rt.so lib/deadheat/explore/libtsan.so.2 \
	share/man/man1/deadheat.1.gz share/man/man1/deadheat-report.1.gz share/bash-completion/completions/deadheat \
	share/zsh/vendor-completions/_deadheat share/pkgconfig/deadheat.pc share/deadheat/cmake/deadheat-toolchain.cmake \
	share/deadheat/models/pthread.model share/doc/deadheat/copyright; do
	check "it has $file" test -s "root/usr/$file"
done
check "no link leads nowhere" sh -c '[ -z "$(find root -xtype l)" ]'
check_output "the libraries it needs are named" "Depends: libc6 (>= " dpkg-deb --info "$TOP/$package"
check_output "what scan needs is recommended" "clang-19, libllvm19 (>= " dpkg-deb --info "$TOP/$package"
for file in lib/deadheat/lower lib/deadheat/trace/libdeadheat_trace.so share/deadheat/models/pthread.model; do
	check "it has $file" test -s "root/usr/$file"
done
check_output "SQLite too" "libsqlite3-0" dpkg-deb --info "$TOP/$package"
check "dpkg would take it" dpkg --dry-run --force-not-root --force-depends -i "$TOP/$package"
export PATH="$tmp/root/usr/bin:$PATH" PKG_CONFIG_PATH="$tmp/root/usr/share/pkgconfig"
check_status "doctor: it finds its runtimes" 0 deadheat doctor
check_output "doctor: those of the package" "$tmp/root/usr/lib/deadheat" deadheat doctor

# ---- pkg-config ----------------------------------------------------------------------------------
check "pkg-config: the version" sh -c '[ "deadheat $(pkg-config --modversion deadheat)" = "$(deadheat --version)" ]'
check_output "pkg-config: the compiler" "/usr/bin/deadheat-cc" pkg-config --variable=cc deadheat
printf '#include <deadheat.h>\nint main(void) { return 0; }\n' >header.c
check "pkg-config: the header is found" sh -c "gcc \$(PKG_CONFIG_SYSROOT_DIR=$tmp/root pkg-config --cflags deadheat) -c header.c"

# ---- CMake -----------------------------------------------------------------------------------------
cat >CMakeLists.txt <<'X'
cmake_minimum_required(VERSION 3.16)
project(p C)
enable_testing()
find_package(Threads REQUIRED)
add_executable(racy racy.c)
target_link_libraries(racy Threads::Threads)
add_executable(fine fine.c)
include(${DEADHEAT_CMAKE}/deadheat.cmake)
deadheat_add_test(NAME racy-races COMMAND racy)
deadheat_add_test(NAME fine-races COMMAND fine FAIL_ON suspected)
X
cp "$TOP/tests/triage/queue.c" racy.c
echo 'int main(void) { return 0; }' >fine.c
cmake=$tmp/root/usr/share/deadheat/cmake
check "CMake: configured with the toolchain file" cmake -S . -B b -DCMAKE_TOOLCHAIN_FILE="$cmake/deadheat-toolchain.cmake" -DDEADHEAT_CMAKE="$cmake"
check "CMake: built" cmake --build b
check "CMake: by deadheat-cc" sh -c "readelf -d b/racy | grep -q libdeadheat_rt.so"
(cd b && ctest >../ctest.log 2>&1)
check "CMake: the racy program fails its test" grep -q "racy-races .*Failed" ctest.log
check "CMake: the other passes" grep -q "fine-races .*Passed" ctest.log
done_testing
