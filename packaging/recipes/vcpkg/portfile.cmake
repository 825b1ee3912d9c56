# SPDX-License-Identifier: Apache-2.0
# An overlay port: vcpkg install hilo --overlay-ports=packaging/recipes/vcpkg
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
set(SOURCE_PATH ${CMAKE_CURRENT_LIST_DIR}/../../..)
vcpkg_cmake_configure(SOURCE_PATH ${SOURCE_PATH}
  OPTIONS -DHILO_BUILD_TESTS=OFF -DHILO_BUILD_EXAMPLES=OFF -DHILO_BUILD_BENCH=OFF)
vcpkg_cmake_build(TARGET hilo_companions)
vcpkg_cmake_build(TARGET hilo_command)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/hilo)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES hilo AUTO_CLEAN)
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share ${CURRENT_PACKAGES_DIR}/share/hilo/installed.txt)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE ${SOURCE_PATH}/THIRD_PARTY.md)
