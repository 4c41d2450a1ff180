# Read by ctest when it starts, not by CMake: asks a test program for its cases and registers them.
# So a build never waits for a program that lists its cases, and ctest can group them as it is told.
#
# HOURCELL_TESTS_BY of the environment says what one test of ctest is, a process of its own:
#   suite    (default) the cases of one suite, named `CellTest`
#   case     one case, named `CellTest.DecodesAPoint`
#   program  one of SHARDS parts of a program, named `codec_tests.1`; with GTEST_SHUFFLE=1 of
#            GoogleTest the cases of all suites come in random order
# A program that is registered BY case is always run case by case: its cases take long.
#
# hourcell_add_cases(<name> <program> <by> <label>...)

cmake_policy(VERSION 3.24)

set(SHARDS 4)

# hourcell_list_cases(<program> <out>): its cases as `Suite.Case`, in the program's order. What it
# said is kept beside it until it is built again.
function(hourcell_list_cases program out)
  set(kept "${program}.cases")
  # "Newer" is also true of equals, and of files that are not there.
  if(NOT EXISTS "${kept}" OR "${program}" IS_NEWER_THAN "${kept}")
    execute_process(COMMAND "${program}" --gtest_list_tests
      OUTPUT_VARIABLE listing ERROR_VARIABLE complaint RESULT_VARIABLE result TIMEOUT 300)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "${program} --gtest_list_tests: ${result}\n${listing}${complaint}")
    endif()
    # Parameters are behind a #, and may have any character.
    string(REGEX REPLACE " *#[^\n]*" "" listing "${listing}")
    file(WRITE "${kept}" "${listing}")
  endif()
  file(STRINGS "${kept}" lines)
  set(cases "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^  (.+)$")
      list(APPEND cases "${suite}.${CMAKE_MATCH_1}")
    elseif(line MATCHES "^([^ ]+)\\.$")
      set(suite "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  # GoogleTest does not run what is disabled.
  list(FILTER cases EXCLUDE REGEX "(^|[./])DISABLED_")
  set(${out} "${cases}" PARENT_SCOPE)
endfunction()

function(hourcell_add_cases name program by)
  if(NOT EXISTS "${program}")
    add_test("${name}_NOT_BUILT" "${name}_NOT_BUILT")
    return()
  endif()
  if(NOT by STREQUAL "case" AND DEFINED ENV{HOURCELL_TESTS_BY})
    set(by "$ENV{HOURCELL_TESTS_BY}")
  endif()
  hourcell_list_cases("${program}" cases)
  if(by STREQUAL "case")
    foreach(case IN LISTS cases)
      add_test("${case}" "${program}" "--gtest_filter=${case}")
      # A group with a case that is skipped is not skipped: only here.
      set_tests_properties("${case}" PROPERTIES LABELS "${ARGN}" TIMEOUT 240
        SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
    endforeach()
  elseif(by STREQUAL "suite")
    list(TRANSFORM cases REPLACE "\\.[^.]*$" "")
    list(REMOVE_DUPLICATES cases)
    foreach(suite IN LISTS cases)
      add_test("${suite}" "${program}" "--gtest_filter=${suite}.*")
      set_tests_properties("${suite}" PROPERTIES LABELS "${ARGN}" TIMEOUT 600)
    endforeach()
  elseif(by STREQUAL "program")
    foreach(shard RANGE 1 ${SHARDS})
      math(EXPR index "${shard} - 1")
      add_test("${name}.${shard}" "${program}")
      set_tests_properties("${name}.${shard}" PROPERTIES LABELS "${ARGN}" TIMEOUT 900
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${SHARDS};GTEST_SHARD_INDEX=${index}")
    endforeach()
  else()
    message(FATAL_ERROR "HOURCELL_TESTS_BY=${by}: want suite, case or program")
  endif()
endfunction()
