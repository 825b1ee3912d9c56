// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/build_id.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "hilo/version.h"

namespace hilo {
namespace {

size_t padded(size_t bytes) { return (bytes + 3) / 4 * 4; }

/// Returns the build id from the linker's note in hexadecimal, or "" if the notes have none.
std::string id_in(std::string_view notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    const size_t name_bytes = padded(header.n_namesz), bytes = sizeof header + name_bytes + padded(header.n_descsz);
    if (bytes > notes.size()) break;
    if (header.n_type == NT_GNU_BUILD_ID && notes.substr(sizeof header, 4) == std::string_view("GNU\0", 4)) {
      std::string id;
      for (unsigned char c : notes.substr(sizeof header + name_bytes, header.n_descsz)) id += fmt::format("{:02x}", c);
      return id;
    }
    notes.remove_prefix(bytes);
  }
  return {};
}

/// Returns whether an address is in the module.
bool holds(const dl_phdr_info& module, ElfW(Addr) address) {
  for (int k = 0; k < module.dlpi_phnum; ++k) {
    const ElfW(Phdr)& part = module.dlpi_phdr[k];
    const ElfW(Addr) begin = module.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && address >= begin && address - begin < part.p_memsz) return true;
  }
  return false;
}

int find_id(dl_phdr_info* module, size_t, void* result) {
  if (!holds(*module, reinterpret_cast<ElfW(Addr)>(&id_in))) return 0;
  for (int k = 0; k < module->dlpi_phnum; ++k) {
    const ElfW(Phdr)& part = module->dlpi_phdr[k];
    if (part.p_type != PT_NOTE) continue;
    const auto* const notes = reinterpret_cast<const char*>(module->dlpi_addr + part.p_vaddr);
    std::string& id = *static_cast<std::string*>(result);
    if (id.empty()) id = id_in({notes, part.p_memsz});
  }
  return 1;
}

}  // namespace

const std::string& build_id() {
  static const auto* const id = [] {
    std::string linked;
    dl_iterate_phdr(find_id, &linked);
    return new std::string(fmt::format("{} {}", version(), linked.empty() ? commit() : linked));
  }();
  return *id;
}

std::string linked_id(const std::string& path) {
  std::string page(4096, '\0');  // headers and notes are in the first page
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (file == nullptr) return {};
  page.resize(std::fread(page.data(), 1, page.size(), file.get()));
  ElfW(Ehdr) header;
  if (page.size() < sizeof header || !page.starts_with(ELFMAG)) return {};
  std::memcpy(&header, page.data(), sizeof header);
  for (size_t k = 0; k < header.e_phnum; ++k) {
    ElfW(Phdr) part;
    const size_t at = header.e_phoff + k * sizeof part;
    if (at > page.size() - sizeof part) return {};
    std::memcpy(&part, page.data() + at, sizeof part);
    if (part.p_type != PT_NOTE || part.p_offset > page.size()) continue;
    if (std::string id = id_in(std::string_view(page).substr(part.p_offset, part.p_filesz)); !id.empty()) return id;
  }
  return {};
}

}  // namespace hilo
