# SPDX-License-Identifier: Apache-2.0
# cmake/wheel.cmake -- what the wheel jax-hilo contains of a build: `cmake --install BUILD --component wheel`.
if(TARGET hilo_pjrt)
  set_target_properties(hilo hilo_pjrt PROPERTIES INSTALL_RPATH "$ORIGIN")
  set(HILO_WHEEL hilo hilo_pjrt)
  if(TARGET hilo_rpc)  # for a server's devices; gRPC itself comes from the system
    list(APPEND HILO_WHEEL hilo_rpc)
  endif()
  install(TARGETS ${HILO_WHEEL} LIBRARY DESTINATION jax_plugins/hilo COMPONENT wheel EXCLUDE_FROM_ALL NAMELINK_SKIP)
endif()
