// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/pieces.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hilo::rpc {

Pieces::Pieces(std::string whole) {
  if (whole.empty()) return;
  const auto kept = std::make_shared<const std::string>(std::move(whole));
  parts.emplace_back(*kept);
  owner = kept;
}

Pieces::Pieces(std::vector<std::string_view> parts, std::shared_ptr<const void> owner)
    : parts(std::move(parts)), owner(std::move(owner)) {
  std::erase_if(this->parts, [](std::string_view part) { return part.empty(); });
}

size_t Pieces::size() const {
  size_t bytes = 0;
  for (const std::string_view part : parts) bytes += part.size();
  return bytes;
}

Pieces Pieces::part(size_t position, size_t size) const {
  std::vector<std::string_view> found;
  for (std::string_view piece : parts) {
    if (size == 0) break;
    const size_t skipped = std::min(position, piece.size());
    position -= skipped;
    piece = piece.substr(skipped, size);
    if (piece.empty()) continue;
    found.push_back(piece);
    size -= piece.size();
  }
  return {std::move(found), owner};
}

std::string Pieces::whole() const {
  std::string all;
  all.reserve(size());
  for (const std::string_view part : parts) all += part;
  return all;
}

void Pieces::copy_to(char* to) const {
  for (const std::string_view part : parts) {
    if (part.data() != to) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
}

Pieces joined(std::string head, const Pieces& rest) {
  struct Both {
    std::string head;
    std::shared_ptr<const void> owner;
  };
  const auto kept = std::make_shared<const Both>(Both{std::move(head), rest.owner});
  std::vector<std::string_view> parts = {kept->head};
  parts.insert(parts.end(), rest.parts.begin(), rest.parts.end());
  return {std::move(parts), kept};
}

}  // namespace hilo::rpc
