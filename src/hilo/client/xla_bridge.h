// SPDX-License-Identifier: Apache-2.0
// client/xla_bridge.h -- creates the client and the compile options from the flags, and converts element types to
// canonical ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hilo/client/platform_name.h"
#include "hilo/device/client.h"

namespace hilo {

/// The backend of a computation: "xla" for this process or "xrt" for a server, and the server's address.
struct BackendTarget {
  std::string backend = "xla";
  std::string target = "local";
  bool operator==(const BackendTarget&) const = default;
};

/// The client that compiles and runs programs. Each replica has its own device; on platform Host the devices share the
/// machine.
using XlaClient = Client;
using XlaClientPtr = ClientPtr;

/// Creates the process's client with `replica_count` replicas. For "xla", an empty platform name selects CUDA or, with
/// a warning, Host. For "xrt" the selected platform doesn't change.
/// Errors    INVALID_ARGUMENT for an unknown backend; those of initialize_replica_count and initialize_platform_name
StatusOr<XlaClientPtr> make_xla_client(std::string_view backend_name, std::string_view platform_name,
                                       int64_t replica_count);

/// Returns the process's client. The first call creates it from the flags jax_xla_backend, jax_platform_name and
/// jax_replica_count.
/// Errors    those of the flags and of make_xla_client; after an error the next call tries again
StatusOr<XlaClientPtr> get_xla_client();

/// Returns the backend that compiles computations. It is determined at the first call by the flags jax_xla_backend and
/// jax_backend_target.
/// Errors    INVALID_ARGUMENT for a target that is neither "local" nor "rpc:address", or for a remote one without xrt
StatusOr<BackendTarget> get_backend();

/// Returns a number that changes whenever the client is dropped. It is part of the keys of compiled programs.
uint64_t client_generation();

/// Returns new compile options with the values of the flags, or nullopt if no flag is set. If a dump folder can't be
/// created, a warning is logged once and the option is not set.
/// Errors    those of the flags
StatusOr<std::optional<CompileOptions>> get_compile_options();

/// Returns the folder DIR/NAME of one kind of dump ("hlo_unoptimized", "hlo_optimized" or "hlo_per_pass"). Creates it,
/// with its parents, if it doesn't exist.
/// Errors    INVALID_ARGUMENT for another name; those of make_directories
StatusOr<std::string> hlo_path(const std::string& directory, std::string_view name);

/// Converts a type to its canonical one: s64 -> s32, u64 -> u32, f64 -> f32, c128 -> c64 unless jax_enable_x64 is set.
/// Shapes are converted leaf by leaf.
/// Errors    those of the flag
StatusOr<ElementType> canonical_element_type(ElementType type);
StatusOr<Shape> canonical_shape(const Shape& shape);

}  // namespace hilo
