// SPDX-License-Identifier: Apache-2.0
#include "hilo/training/safetensors.h"

#include <cstdint>

#include "hilo/io/safetensors.h"

namespace hilo::training {
namespace {

template <typename T>
T at_line(const char* function, StatusOr<T> value) {
  if (!value.ok()) or_throw(value.status().with_context(at_user_line(function)));
  return *std::move(value);
}

// Borrows the bytes of the file if they are aligned and valid for the type: a bool byte other than 0 and 1 is not.
Array borrowed_or_copied(const io::SafetensorsFile& file, const io::SafetensorsEntry& entry) {
  const std::string_view bytes = file.bytes_of(entry);
  const auto copied = [&] { return Array::from_literal(at_line("load_safetensors", file.tensor(entry.name))); };
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 64 != 0 || bytes.empty()) return copied();
  const std::span<const int64_t> sizes = entry.shape.dimensions();
  return visit_element_type(
      entry.shape.element_type(),
      [&]<typename T>() {
        if constexpr (std::same_as<T, bool>) return copied();
        else
          return Array::borrow(reinterpret_cast<const T*>(bytes.data()), {sizes.begin(), sizes.end()},
                               [keeper = file.file.keeper()] {});
      },
      copied);
}

}  // namespace

std::map<std::string, Array> load_safetensors(const std::string& path, numpy::Line line) {
  const UserLocation here(line);
  const io::SafetensorsFile file = at_line("load_safetensors", io::open_safetensors(path));
  std::map<std::string, Array> tensors;
  for (const io::SafetensorsEntry& entry : file.header.tensors)
    tensors.emplace(entry.name, borrowed_or_copied(file, entry));
  return tensors;
}

void save_safetensors(const std::string& path, const std::map<std::string, Array>& tensors,
                      const std::map<std::string, std::string>& metadata, numpy::Line line) {
  const UserLocation here(line);
  io::NamedLiterals literals;
  for (const auto& [name, array] : tensors) literals.emplace(name, array.to_literal());
  const Status written = io::write_safetensors(path, literals, metadata);
  if (!written.ok()) or_throw(written.with_context(at_user_line("save_safetensors")));
}

}  // namespace hilo::training
