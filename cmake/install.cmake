# SPDX-License-Identifier: Apache-2.0
# cmake/install.cmake -- headers, library, command, find_package(hilo) and pkg-config.
include(CMakePackageConfigHelpers)

# Installed files and new folders are listed in the prefix (share/hilo/installed.txt), so that uninstall.cmake next to
# the list needs no build tree. Files of an older version are removed first.
install(CODE "set(hilo_shared_folders . ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_INCLUDEDIR} share share/doc ${CMAKE_INSTALL_LIBDIR}
  ${CMAKE_INSTALL_MANDIR} ${CMAKE_INSTALL_MANDIR}/man1 share/bash-completion share/bash-completion/completions share/fish
  share/fish/vendor_completions.d
  ${CMAKE_INSTALL_LIBDIR}/cmake ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(hilo_uninstall ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake)")
install(CODE [[
set(hilo_prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
if(EXISTS "${hilo_prefix}/share/hilo/installed.txt")
  execute_process(COMMAND ${CMAKE_COMMAND} "-DHILO_PREFIX=${hilo_prefix}" -P "${hilo_uninstall}" OUTPUT_QUIET ERROR_QUIET)
endif()
set(hilo_list "")
foreach(folder IN LISTS hilo_shared_folders)
  if(NOT EXISTS "${hilo_prefix}/${folder}")
    string(PREPEND hilo_list "folder ${folder}\n")  # inner folders first
  endif()
endforeach()
list(LENGTH CMAKE_INSTALL_MANIFEST_FILES hilo_first)  # files installed by another project aren't hilo's
]])

install(TARGETS hilo EXPORT hiloTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# `make install` builds only the library and the command; the plugin is installed if it has been built.
install(TARGETS hilo_pjrt LIBRARY DESTINATION ${HILO_COMPANION_DIR} OPTIONAL)
install(TARGETS ${HILO_COMPANIONS} LIBRARY DESTINATION ${HILO_COMPANION_DIR})
install(TARGETS hilo_rt EXPORT hiloTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET hilo_command)
  install(TARGETS hilo_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${HILO_PAGES}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${HILO_PAGES}/hilo.bash DESTINATION share/bash-completion/completions RENAME hilo)
  install(FILES ${HILO_PAGES}/hilo.fish DESTINATION share/fish/vendor_completions.d)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/hilo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
  PATTERN "*.h" PATTERN "*.inc"
  PATTERN "inspect" EXCLUDE PATTERN "rpc" EXCLUDE PATTERN "replica/mpi" EXCLUDE PATTERN "pjrt" EXCLUDE PATTERN "backend/cpu" EXCLUDE PATTERN "backend/cuda" EXCLUDE PATTERN "backend/reference" EXCLUDE)
install(FILES ${HILO_GENERATED_DIR}/hilo/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hilo)

set(HILO_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/hilo)
install(EXPORT hiloTargets NAMESPACE hilo:: DESTINATION ${HILO_CMAKE_DIR})
export(EXPORT hiloTargets NAMESPACE hilo:: FILE ${PROJECT_BINARY_DIR}/hiloTargets.cmake)  # of the build tree itself
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/hiloConfig.cmake.in
  ${PROJECT_BINARY_DIR}/hiloConfig.cmake INSTALL_DESTINATION ${HILO_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hiloConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/hilo_precompile.cmake ${PROJECT_BINARY_DIR}/hilo_precompile.cmake COPYONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/hilo_add_model.cmake ${PROJECT_BINARY_DIR}/hilo_add_model.cmake COPYONLY)
install(FILES ${PROJECT_BINARY_DIR}/hiloConfig.cmake ${PROJECT_BINARY_DIR}/hiloConfigVersion.cmake
  ${PROJECT_BINARY_DIR}/hilo_precompile.cmake ${PROJECT_BINARY_DIR}/hilo_add_model.cmake
  DESTINATION ${HILO_CMAKE_DIR})

file(RELATIVE_PATH HILO_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" HILO_PC_TO_PREFIX ${HILO_PC_TO_PREFIX})
foreach(module hilo hilo_c hilo_rt)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${module}.pc.in ${PROJECT_BINARY_DIR}/${module}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake DESTINATION share/hilo)
install(CODE [[
list(SUBLIST CMAKE_INSTALL_MANIFEST_FILES ${hilo_first} -1 hilo_files)
foreach(file IN LISTS hilo_files)
  file(RELATIVE_PATH name "${CMAKE_INSTALL_PREFIX}" "${file}")
  string(APPEND hilo_list "file ${name}\n")
endforeach()
file(WRITE "${hilo_prefix}/share/hilo/installed.txt" "${hilo_list}file share/hilo/installed.txt\n")
]])
include(cmake/wheel.cmake)
