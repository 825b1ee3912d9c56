// SPDX-License-Identifier: Apache-2.0
// client/xla_bridge.h -- from the flags to a client: which backend and platform, how many replicas, what compilations
// are asked for, and which types there are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hilo/client/platform_name.h"
#include "hilo/device/client.h"

namespace hilo {

/// A backend as computations carry it along: how programs get to a device, "xla" in this process or "xrt" on a server,
/// and which server.
struct BackendTarget {
  std::string backend = "xla";
  std::string target = "local";
  bool operator==(const BackendTarget&) const = default;
};

/// What programs are compiled and run with: each replica has a device of its own; on platform Host they share the
/// machine.
using XlaClient = Client;
using XlaClientPtr = ClientPtr;

/// Makes the process's client. The replica count is initialised first; then, for "xla", the platform: as named, or, if
/// the name is empty, CUDA, or else, with a warning, Host. For "xrt" the platform stays as it was.
/// Errors    INVALID_ARGUMENT for an unknown backend; those of initialize_replica_count and initialize_platform_name
StatusOr<XlaClientPtr> make_xla_client(std::string_view backend_name, std::string_view platform_name,
                                       int64_t replica_count);

/// The client of the flags jax_xla_backend, jax_platform_name and jax_replica_count as they were at the first call.
/// Errors    those of the flags and of make_xla_client; the next call tries again
StatusOr<XlaClientPtr> get_xla_client();

/// Where computations are compiled: the flags jax_xla_backend and jax_backend_target as they were at the first call.
/// Errors    INVALID_ARGUMENT for a target that is neither "local" nor "rpc:address", or a remote one without xrt
StatusOr<BackendTarget> get_backend();

/// Changes whenever the client is forgotten; part of the key of what was compiled with it.
uint64_t client_generation();

/// What the flags ask of a compilation, a fresh object each time; nullopt if they ask for nothing. A dump folder that
/// can't be made is warned about once and left out.
/// Errors    those of the flags
StatusOr<std::optional<CompileOptions>> get_compile_options();

/// The folder DIR/NAME of one kind of dump ("hlo_unoptimized", "hlo_optimized" or "hlo_per_pass"), made with its
/// parents if it isn't there.
/// Errors    INVALID_ARGUMENT for another name; those of make_directories
StatusOr<std::string> hlo_path(const std::string& directory, std::string_view name);

/// s64 -> s32, u64 -> u32, f64 -> f32, c128 -> c64 unless jax_enable_x64; of a shape, leaf by leaf.
/// Errors    those of the flag
StatusOr<ElementType> canonical_element_type(ElementType type);
StatusOr<Shape> canonical_shape(const Shape& shape);

}  // namespace hilo
