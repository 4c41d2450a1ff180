# The only place that knows how a target is made. Sources are every file of the folder, so that no
# file can be orphaned; headers are installed from the file set.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(HOURCELL_CCACHE ccache)
if(HOURCELL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HOURCELL_CCACHE})
endif()

# Flags every target of ours is built with, and nobody else's.
add_library(hourcell_flags INTERFACE)
if(HOURCELL_DEVELOPER)
  target_compile_options(hourcell_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wextra-semi -Wimplicit-fallthrough
    -Wundef -Werror
    # libstdc++ 12's own stable_sort calls what it declares deprecated; only clang says so.
    $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Wshorten-64-to-32 -Wno-deprecated-declarations>
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op>)
endif()
if(HOURCELL_SANITIZE)
  target_compile_options(hourcell_flags INTERFACE
    -fsanitize=${HOURCELL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(hourcell_flags INTERFACE -fsanitize=${HOURCELL_SANITIZE})
endif()
if(HOURCELL_SANITIZE STREQUAL "thread")
  # ThreadSanitizer does not see fences; Asio has locks to put in their place.
  target_compile_definitions(hourcell_flags INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()
if(HOURCELL_FUZZ)
  # Fuzzers are steered by what they reach of the libraries. In a test, the counters would cost a
  # fifth of its compile time and steer nothing.
  target_compile_options(hourcell_flags INTERFACE
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:HOURCELL_TEST>>>:-fsanitize=fuzzer-no-link>)
  target_link_options(hourcell_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(HOURCELL_KILL_POINTS)
  target_compile_definitions(hourcell_flags INTERFACE HOURCELL_KILL_POINTS=1)
endif()
target_compile_definitions(hourcell_flags INTERFACE _GLIBCXX_ASSERTIONS)

# The links of a developer's build, some seventy programs, take a quarter of the time with LLVM's
# linker. What is installed is linked by the compiler's own.
if(HOURCELL_DEVELOPER)
  find_program(HOURCELL_LLD ld.lld)
  if(HOURCELL_LLD)
    target_link_options(hourcell_flags INTERFACE -fuse-ld=lld)
  endif()
endif()

# The parsing of the library headers that most files include is a third to a half of what clang
# takes for a file; with HOURCELL_PCH it is done once a target. A build without it shows that each
# file includes what it uses.
option(HOURCELL_PCH "Precompile the headers that most files include (clang only)" OFF)
set(HOURCELL_PCH_HEADERS
  <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <functional> <map> <memory> <optional>
  <span> <string> <string_view> <thread> <utility> <vector>
  <absl/container/flat_hash_map.h> <absl/status/status.h> <absl/status/statusor.h> <fmt/format.h>)
function(hourcell_precompile target)
  if(HOURCELL_PCH)
    target_precompile_headers(${target} PRIVATE ${HOURCELL_PCH_HEADERS} ${ARGN})
    # ccache goes by what is in a header, and would take its time for a part of that.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# A compiler spends half of its time on the headers of a file. The unit of a folder reads them once.
# The files of a folder share their anonymous namespaces then, so no two of them define the same
# name there. Preset clang compiles each file by itself, which shows that each file includes what it
# uses.
option(HOURCELL_UNITY "Compile all files of a folder as one unit" OFF)
function(hourcell_unify target)
  if(HOURCELL_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
endfunction()

# A folder's unit spends much of its time on the same library headers as the next one. In the
# presets `release` and `bench`, neighbouring folders of a library or of a test program share a unit
# of up to this many bytes of .cc files: a first build takes a quarter less time, a build after a
# change of one file more. The files of such a unit share their anonymous namespaces, too. CI sets
# the variable of the environment, because it makes each of its builds once.
set(unit_bytes_default 0)
if(DEFINED ENV{HOURCELL_UNIT_BYTES})
  set(unit_bytes_default $ENV{HOURCELL_UNIT_BYTES})
endif()
set(HOURCELL_UNIT_BYTES ${unit_bytes_default} CACHE STRING
  "Bytes of source that a unit of several folders may have")
if(HOURCELL_UNIT_BYTES)
  # A local name may be one of another folder's anonymous namespace. Preset clang has the warning.
  target_compile_options(hourcell_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>)
endif()

# hourcell_sources(<out> <folder>...): all .cc files of these folders, which are one unit each, or
# more than one up to `unit_bytes` of the caller.
function(hourcell_sources out)
  set(all "")
  set(unit "")
  set(unit_size 0)
  foreach(folder IN LISTS ARGN)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
    set(size 0)
    foreach(source IN LISTS sources)
      file(SIZE ${source} source_size)
      math(EXPR size "${size} + ${source_size}")
    endforeach()
    math(EXPR unit_size "${unit_size} + ${size}")
    if(NOT unit OR NOT unit_bytes OR unit_size GREATER unit_bytes)
      string(MAKE_C_IDENTIFIER "${folder}" unit)
      set(unit_size ${size})
    endif()
    set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${unit})
    list(APPEND all ${sources})
  endforeach()
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# What a server that strangers reach is built with; scripts/lib/checks.sh looks whether it has it.
# In the builds of developers sanitizers do more.
option(HOURCELL_HARDENED "Release builds get stack protectors, checked buffers, full RELRO" ON)
if(HOURCELL_HARDENED)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  target_compile_options(hourcell_flags INTERFACE
    $<$<CONFIG:Release>:-fstack-protector-strong -fstack-clash-protection>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(hourcell_flags INTERFACE $<$<CONFIG:Release>:-fcf-protection=full>)
  endif()
  target_compile_definitions(hourcell_flags INTERFACE $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
  target_link_options(hourcell_flags INTERFACE
    $<$<CONFIG:Release>:-Wl,-z,relro,-z,now,-z,noexecstack>)
endif()

# hourcell_library(<name> [COLD] [FOLDERS folder...] [DEPS target...] [PRIVATE_DEPS target...]
#                  [PUBLIC_HEADERS file...] [EXCLUDE file...])
#   All .cc files of the current folder, or of FOLDERS in it, as one static library,
#   hourcell::<name>. PUBLIC_HEADERS are installed; without it, no header is. COLD: no code of it is
#   run for each point or row, so that release builds optimise it less and take a fifth less time.
function(hourcell_library name)
  cmake_parse_arguments(ARG "COLD" "" "FOLDERS;DEPS;PRIVATE_DEPS;PUBLIC_HEADERS;EXCLUDE" ${ARGN})
  if(NOT ARG_FOLDERS)
    set(ARG_FOLDERS .)
  endif()
  set(unit_bytes ${HOURCELL_UNIT_BYTES})
  hourcell_sources(sources ${ARG_FOLDERS})
  foreach(file IN LISTS ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "/${file}$")
  endforeach()
  add_library(hourcell_${name} STATIC ${sources})
  add_library(hourcell::${name} ALIAS hourcell_${name})
  set_target_properties(hourcell_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(hourcell_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/hourcell>)
  target_compile_features(hourcell_${name} PUBLIC cxx_std_20)
  target_link_libraries(hourcell_${name} PUBLIC ${ARG_DEPS}
    PRIVATE ${ARG_PRIVATE_DEPS} $<BUILD_INTERFACE:hourcell_flags>)
  if(ARG_COLD)
    target_compile_options(hourcell_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  hourcell_precompile(hourcell_${name})
  hourcell_unify(hourcell_${name})
  if(ARG_PUBLIC_HEADERS)
    list(TRANSFORM ARG_PUBLIC_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_sources(hourcell_${name} PUBLIC FILE_SET HEADERS
      BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARG_PUBLIC_HEADERS})
  endif()
endfunction()

# hourcell_test(<name> [BY suite|case] [FOLDERS ...] [DEPS ...] [LABELS ...] [DEFINITIONS ...])
#   One GoogleTest program of every .cc of the current folder, or of FOLDERS in it. ctest runs it
#   suite by suite, or case by case where a case takes long: see hourcell_cases.cmake. Target
#   check_<label> builds all programs of a label and no more.
function(hourcell_test name)
  cmake_parse_arguments(ARG "" "BY" "FOLDERS;DEPS;LABELS;DEFINITIONS" ${ARGN})
  if(NOT ARG_BY)
    set(ARG_BY suite)
  endif()
  if(NOT ARG_FOLDERS)
    set(ARG_FOLDERS .)
  endif()
  set(unit_bytes ${HOURCELL_UNIT_BYTES})
  hourcell_sources(sources ${ARG_FOLDERS})
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main hourcell_flags)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  # Matchers cost the optimiser more than the tests would ever win.
  target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Release>>:-O0>)
  set_target_properties(${name} PROPERTIES HOURCELL_TEST ON)
  hourcell_precompile(${name} <gmock/gmock.h> <gtest/gtest.h>)
  hourcell_unify(${name})
  set(cases ${CMAKE_CURRENT_BINARY_DIR}/${name}_cases.cmake)
  file(GENERATE OUTPUT ${cases} CONTENT
"include([==[${PROJECT_SOURCE_DIR}/cmake/hourcell_cases.cmake]==])
hourcell_add_cases(${name} [==[$<TARGET_FILE:${name}>]==] ${ARG_BY} ${ARG_LABELS})
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${cases})
  foreach(label IN LISTS ARG_LABELS)
    hourcell_add_to_check(${label} ${name})
  endforeach()
endfunction()

# hourcell_add_to_check(<label> <target>): target check_<label> builds <target> too.
function(hourcell_add_to_check label target)
  if(NOT TARGET check_${label})
    add_custom_target(check_${label})
  endif()
  add_dependencies(check_${label} ${target})
endfunction()

# hourcell_fuzzers(<program> TARGETS target... [DEPS target...])
#   One program of several fuzz targets, <folder>/fuzz_<target>.cc each: a libFuzzer program under
#   HOURCELL_FUZZ, else a program that replays files. It runs the target whose name it is called by,
#   so each fuzz_<target> is a link to it. A program for each target would hold the whole server
#   each time: 8 GB under sanitizers. ctest replays corpus/<target> in every build.
function(hourcell_fuzzers program)
  cmake_parse_arguments(ARG "" "" "TARGETS;DEPS" ${ARGN})
  set(functions "")
  set(rows "")
  add_executable(${program} choose_target.cc)
  foreach(target IN LISTS ARG_TARGETS)
    file(GLOB source CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/fuzz_${target}.cc)
    # Each source defines LLVMFuzzerTestOneInput, as libFuzzer wants it of a program.
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS
      LLVMFuzzerTestOneInput=hourcell_fuzz_${target})
    target_sources(${program} PRIVATE ${source})
    string(APPEND functions
      "extern \"C\" int hourcell_fuzz_${target}(const uint8_t* data, size_t size);\n")
    string(APPEND rows "    {\"${target}\", hourcell_fuzz_${target}},\n")
    file(CREATE_LINK ${program} ${CMAKE_CURRENT_BINARY_DIR}/fuzz_${target} SYMBOLIC)
    add_custom_target(fuzz_${target} DEPENDS ${program})
    hourcell_add_to_check(fuzz ${program})
    set(runs_nothing "")
    if(HOURCELL_FUZZ)
      set(runs_nothing -runs=0)
    endif()
    add_test(NAME fuzz-replay.${target} COMMAND ${CMAKE_CURRENT_BINARY_DIR}/fuzz_${target}
      ${runs_nothing} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${target})
    set_tests_properties(fuzz-replay.${target} PROPERTIES LABELS fuzz-replay TIMEOUT 60)
  endforeach()
  set(table ${CMAKE_CURRENT_BINARY_DIR}/${program}_table.cc)
  file(GENERATE OUTPUT ${table} CONTENT
"#include \"tests/fuzz/choose_target.h\"

${functions}
namespace hourcell {

constexpr FuzzTarget kTargets[] = {
${rows}};

std::span<const FuzzTarget> FuzzTargets() {
  return kTargets;
}

}  // namespace hourcell
")
  target_sources(${program} PRIVATE ${table})
  target_link_libraries(${program} PRIVATE ${ARG_DEPS} hourcell_flags)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
  hourcell_precompile(${program})
  if(HOURCELL_FUZZ)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${program} PRIVATE replay_main.cc)
  endif()
endfunction()
