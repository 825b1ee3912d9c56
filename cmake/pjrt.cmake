# SPDX-License-Identifier: Apache-2.0
# cmake/pjrt.cmake -- libhilo_pjrt.so: the plugin through which JAX and other users of PJRT run on hilo.
file(GLOB HILO_PJRT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hilo/pjrt/*.cc)
add_library(hilo_pjrt MODULE ${HILO_PJRT_SOURCES})
target_link_libraries(hilo_pjrt PRIVATE hilo::hilo fmt::fmt)
target_compile_options(hilo_pjrt PRIVATE -fno-strict-aliasing)
hilo_unity(hilo_pjrt ${PROJECT_SOURCE_DIR}/src)
set(HILO_PJRT_MAP ${PROJECT_SOURCE_DIR}/cmake/pjrt.map)
target_link_options(hilo_pjrt PRIVATE -Wl,--version-script=${HILO_PJRT_MAP} -Wl,--gc-sections -Wl,--as-needed)
set_target_properties(hilo_pjrt PROPERTIES CXX_VISIBILITY_PRESET hidden INSTALL_RPATH "${HILO_COMPANION_RPATH}" LINK_DEPENDS ${HILO_PJRT_MAP})
