// SPDX-License-Identifier: Apache-2.0
// hlo/proto/sharding.h -- a sharding as HLO text writes it, {devices=[2,1]<=[2]}, and as OpSharding.
#pragma once

#include <vector>

#include "hilo/hlo/proto/wire.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo::proto {

/// Errors    INVALID_ARGUMENT for what is no sharding; UNIMPLEMENTED for shardings by the names of a mesh
StatusOr<WireWriter> write_sharding(std::string_view text);
StatusOr<std::string> read_sharding(std::string_view message);

/// A sharding as parts and who has them.
struct Tiles {
  std::vector<int64_t>
      counts;  ///< of parts: in each dimension, then one for each of `kinds`; empty: the array isn't cut
  std::vector<int64_t> devices;         ///< of the parts, row-major; empty: the array isn't cut
  std::vector<std::string_view> kinds;  ///< what devices of one part have: "replicated", "manual", "unreduced"
};
/// Of the text, or of an OpSharding's bytes. One that isn't cut has its type as the only kind.
/// Errors    those of write_sharding; INVALID_ARGUMENT for parts that don't fit their devices; UNIMPLEMENTED for tuples
StatusOr<Tiles> read_tiles(std::string_view text_or_message);

/// `[4]<=[2,2]T(1,0)`: devices in the order of a transposed iota. `dimensions` is what stands before "<=".
struct IotaDevices {
  std::vector<int64_t> dimensions, reshape, transpose;
};
/// Reads `<=[2,2]T(1,0)`, the rest of one; `iota.dimensions` is read already.
Status read_iota_devices(text::Cursor& cursor, IotaDevices& iota);
void append_iota_devices(const IotaDevices& iota, std::string& out);
/// Reads `[2,1]`.
StatusOr<std::vector<int64_t>> read_bracketed(text::Cursor& cursor, char open, char close);

}  // namespace hilo::hlo::proto
