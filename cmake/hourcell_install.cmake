# What `cmake --install` puts where: the program, the static libraries with the headers that
# engine/tsdb.h reaches, and the CMake package `hourcell`.
include(CMakePackageConfigHelpers)

# Headers include each other as "codec/point.h", so they go below a folder of their own, which every
# target has as its include directory.
install(TARGETS hourcell_base hourcell_codec hourcell_uid hourcell_query hourcell_regions
                hourcell_hours hourcell_engine
  EXPORT hourcellTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hourcell)
install(TARGETS hourcell RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# The unit names the program below CMAKE_INSTALL_PREFIX, as it is when the build is configured.
configure_file(${PROJECT_SOURCE_DIR}/cmake/hourcell.service.in
  ${PROJECT_BINARY_DIR}/hourcell.service @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hourcell.service
  DESTINATION lib/systemd/system)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/hourcell.sysusers
  DESTINATION lib/sysusers.d RENAME hourcell.conf)

set(hourcell_package ${CMAKE_INSTALL_LIBDIR}/cmake/hourcell)
configure_file(${PROJECT_SOURCE_DIR}/cmake/hourcell.pc.in ${PROJECT_BINARY_DIR}/hourcell.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hourcell.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(EXPORT hourcellTargets NAMESPACE hourcell:: DESTINATION ${hourcell_package})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/hourcellConfig.cmake.in
  ${PROJECT_BINARY_DIR}/hourcellConfig.cmake
  INSTALL_DESTINATION ${hourcell_package}
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/hourcellConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/hourcellConfig.cmake
  ${PROJECT_BINARY_DIR}/hourcellConfigVersion.cmake
  DESTINATION ${hourcell_package})
