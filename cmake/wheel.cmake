# SPDX-License-Identifier: Apache-2.0
# cmake/wheel.cmake -- what the wheel jax-hilo contains of a build: `cmake --install BUILD --component wheel`.
if(TARGET hilo_pjrt)
  set_target_properties(hilo hilo_pjrt PROPERTIES INSTALL_RPATH "$ORIGIN")
  # For a server's devices gRPC itself comes from the system.
  install(TARGETS hilo hilo_pjrt ${HILO_COMPANIONS} LIBRARY DESTINATION jax_plugins/hilo COMPONENT wheel EXCLUDE_FROM_ALL NAMELINK_SKIP)
endif()
