// SPDX-License-Identifier: Apache-2.0
// training/safetensors.h -- arrays in .safetensors files, as models are shared.
#pragma once

#include <map>
#include <string>

#include "hilo/numpy/dtypes.h"

namespace hilo::training {

/// The tensors of a file by name, in the types that they have there.
/// Errors    those of io::open_safetensors
/// Cost      the file is mapped: a tensor that lies at a multiple of 64 bytes is read when it is used and copied never, if
///           the device reads host memory; others are copied. The file must not become shorter meanwhile
std::map<std::string, Array> load_safetensors(const std::string& path, numpy::Line line = numpy::Line::current());

/// Errors    those of io::write_safetensors
void save_safetensors(const std::string& path, const std::map<std::string, Array>& tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      numpy::Line line = numpy::Line::current());

}  // namespace hilo::training

namespace hilo::io {
using training::load_safetensors, training::save_safetensors;  ///< where people look for them
}  // namespace hilo::io
