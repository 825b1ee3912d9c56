# SPDX-License-Identifier: Apache-2.0
# cmake/tool.cmake -- the command hilo, from tools/hilo.
file(GLOB HILO_TOOL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/hilo/*.cc)
if(HILO_TOOL_SOURCES)
  find_package(CLI11 REQUIRED)
  add_executable(hilo_command ${HILO_TOOL_SOURCES})
  set_target_properties(hilo_command PROPERTIES OUTPUT_NAME hilo BUILD_RPATH_USE_ORIGIN ON
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN/../${HILO_COMPANION_DIR}")
  target_include_directories(hilo_command PRIVATE ${PROJECT_SOURCE_DIR})  # "tools/hilo/x.h"
  target_compile_definitions(hilo_command PRIVATE HILO_LLVM_VERSION="${LLVM_PACKAGE_VERSION}")
  hilo_unity(hilo_command ${PROJECT_SOURCE_DIR})
  add_dependencies(hilo_command ${HILO_COMPANIONS})  # opened at run time
  # Man pages and completions come from the command's own tables.
  set(HILO_PAGES ${PROJECT_BINARY_DIR}/pages)
  file(MAKE_DIRECTORY ${HILO_PAGES}/man1)
  add_custom_command(TARGET hilo_command POST_BUILD
    COMMAND hilo_command man --folder ${HILO_PAGES}/man1
    COMMAND hilo_command completion > ${HILO_PAGES}/hilo.bash
    COMMAND hilo_command completion --shell fish > ${HILO_PAGES}/hilo.fish)
  target_link_libraries(hilo_command PRIVATE hilo hilo_inspect CLI11::CLI11 fmt::fmt)
endif()
