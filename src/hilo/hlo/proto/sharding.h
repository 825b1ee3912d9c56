// SPDX-License-Identifier: Apache-2.0
// hlo/proto/sharding.h -- a sharding as HLO text writes it, {devices=[2,1]<=[2]}, and as OpSharding.
#pragma once

#include "hilo/hlo/proto/wire.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo::proto {

/// Errors    INVALID_ARGUMENT for what is no sharding; UNIMPLEMENTED for shardings by the names of a mesh
StatusOr<WireWriter> write_sharding(std::string_view text);
StatusOr<std::string> read_sharding(std::string_view message);

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
