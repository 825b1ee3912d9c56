// SPDX-License-Identifier: Apache-2.0
// The tables of libhilo_rpc.so for libhilo.so and for the command hilo. Their version is that of the headers the
// library was built with.
#include "hilo/client/server_table.h"
#include "hilo/rpc/client/caller.h"
#include "hilo/rpc/client/remote_client.h"
#include "hilo/rpc/command/command_table.h"
#include "hilo/rpc/worker/zygote.h"
#include "hilo/version.h"

extern "C" const hilo::ServerTable hilo_rpc = {{HILO_VERSION_STRING}, hilo::rpc::make_remote_client};

extern "C" const hilo::rpc::CommandTable hilo_rpc_command = {{HILO_VERSION_STRING},   hilo::rpc::serve,
                                                             hilo::rpc::watch_server, hilo::rpc::overview_text,
                                                             hilo::rpc::help_server,  hilo::rpc::end_sessions};
