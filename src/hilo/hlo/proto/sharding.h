// SPDX-License-Identifier: Apache-2.0
// hlo/proto/sharding.h -- converts shardings between HLO text, {devices=[2,1]<=[2]}, and OpSharding.
#pragma once

#include <vector>

#include "hilo/hlo/proto/wire.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo::proto {

/// Writes a sharding.
/// Errors    INVALID_ARGUMENT for malformed shardings; UNIMPLEMENTED for shardings that use a mesh's axis names
StatusOr<WireWriter> write_sharding(std::string_view text);
StatusOr<std::string> read_sharding(std::string_view message);

/// A sharding as tiles and the devices that have them.
struct Tiles {
  std::vector<int64_t>
      counts;  ///< number of tiles in each dimension, then one for each of `kinds`; empty: the array isn't split
  std::vector<int64_t> devices;         ///< by tile, row-major; empty: the array isn't split
  std::vector<std::string_view> kinds;  ///< how devices of one tile are related: "replicated", "manual", "unreduced"
};
/// Reads a sharding from text, or from an OpSharding's bytes. An array that isn't split has the sharding's type as its
/// only kind.
/// Errors    those of write_sharding; INVALID_ARGUMENT if tiles and devices differ in number; UNIMPLEMENTED for tuples
StatusOr<Tiles> read_tiles(std::string_view text_or_message);

/// `[4]<=[2,2]T(1,0)`: devices in the order of a transposed iota. `dimensions` is the part before "<=".
struct IotaDevices {
  std::vector<int64_t> dimensions, reshape, transpose;
};
/// Reads `<=[2,2]T(1,0)`, the rest of such devices. Precondition: `iota.dimensions` is set.
Status read_iota_devices(text::Cursor& cursor, IotaDevices& iota);
void append_iota_devices(const IotaDevices& iota, std::string& out);
/// Reads `[2,1]`.
StatusOr<std::vector<int64_t>> read_bracketed(text::Cursor& cursor, char open, char close);

}  // namespace hilo::hlo::proto
