# HOURCELL_COMMIT: the commit that `hourcell version` names. `git archive` writes it to commit.txt,
# so that a source tarball knows it without git. The builds of developers do not name one: they
# would be linked again after each commit.
file(READ ${PROJECT_SOURCE_DIR}/cmake/commit.txt HOURCELL_COMMIT)
string(STRIP "${HOURCELL_COMMIT}" HOURCELL_COMMIT)
if(HOURCELL_COMMIT MATCHES "Format")
  set(HOURCELL_COMMIT "unknown")
  if(HOURCELL_DEVELOPER)
    set(HOURCELL_COMMIT "of-a-developer")
  else()
    find_package(Git QUIET)
    if(GIT_FOUND)
      execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse HEAD
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        OUTPUT_VARIABLE hourcell_head OUTPUT_STRIP_TRAILING_WHITESPACE
        ERROR_QUIET RESULT_VARIABLE hourcell_failed)
      if(NOT hourcell_failed)
        set(HOURCELL_COMMIT ${hourcell_head})
        execute_process(COMMAND ${GIT_EXECUTABLE} diff-index --quiet HEAD
          WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} ERROR_QUIET RESULT_VARIABLE hourcell_changed)
        if(hourcell_changed)
          string(APPEND HOURCELL_COMMIT "-changed")
        endif()
        # Configures again after a commit.
        execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --git-path logs/HEAD
          WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
          OUTPUT_VARIABLE hourcell_log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        get_filename_component(hourcell_log "${hourcell_log}" ABSOLUTE
          BASE_DIR ${PROJECT_SOURCE_DIR})
        if(EXISTS ${hourcell_log})
          set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${hourcell_log})
        endif()
      endif()
    endif()
  endif()
endif()

# lintian takes "deflate 1.14" for a copy of zlib in the program: hence the v.
set(HOURCELL_LIBRARIES "")
foreach(library
    "RocksDB ${RocksDB_VERSION}" "Abseil ${absl_VERSION}" "Boost ${Boost_VERSION_STRING}"
    "fmt ${fmt_VERSION}" "simdjson ${simdjson_VERSION}" "spdlog ${spdlog_VERSION}"
    "OpenSSL ${OPENSSL_VERSION}" "zlib ${ZLIB_VERSION_STRING}" "RE2 ${RE2_VERSION}"
    "PCRE2 ${PCRE2_VERSION}" "CRoaring ${roaring_VERSION}" "cairo ${CAIRO_VERSION}"
    "libdeflate v${LIBDEFLATE_VERSION}" "utf8proc ${UTF8PROC_VERSION}"
    "expat ${EXPAT_VERSION_STRING}" "snappy ${Snappy_VERSION}")
  # Some packages do not say their version.
  if(NOT library MATCHES " (v|0.0.0)?$")
    list(APPEND HOURCELL_LIBRARIES "${library}")
  endif()
endforeach()
string(REPLACE ";" ", " HOURCELL_LIBRARIES "${HOURCELL_LIBRARIES}")
