// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/compiled_code.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "hilo/backend/cpu/library/symbols.h"
#include "hilo/backend/cpu/load/relocation.h"

namespace hilo::cpu {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

std::size_t align_up(std::size_t value, std::size_t alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}

Status malformed(std::string_view what) { return internal_error(fmt::format("loading compiled code: {}", what)); }

/// An object that is being loaded. The steps run in the order of their declaration.
class Loader {
 public:
  explicit Loader(engine::ObjectPtr file) : file_(std::move(file)), object_(*file_) {}
  ~Loader() {
    if (base_ != nullptr) munmap(base_, size_);
  }

  Status read_headers();
  Status lay_out();
  Status map_and_copy();
  Status relocate();
  StatusOr<std::shared_ptr<CompiledCode>> finish();

 private:
  template <typename T>
  StatusOr<std::span<const T>> table(std::size_t offset, std::size_t bytes) const {
    if (offset > object_.size() || bytes > object_.size() - offset)
      return malformed("a table is outside of the object");
    const char* start = object_.data() + offset;
    if (reinterpret_cast<std::uintptr_t>(start) % alignof(T) != 0) return malformed("a table is not aligned");
    return std::span<const T>(reinterpret_cast<const T*>(start), bytes / sizeof(T));
  }
  StatusOr<std::string> string_at(const Elf64_Shdr& strings, std::size_t index) const;
  Status resolve_external(std::size_t symbol);
  Status apply(const Elf64_Shdr& target, std::size_t target_at, const Elf64_Rela& rela);
  StatusOr<std::uint64_t> symbol_address(std::size_t symbol) const;

  engine::ObjectPtr file_;
  std::span<const char> object_;
  std::span<const Elf64_Shdr> sections_;
  std::span<const Elf64_Sym> symbols_;
  std::size_t strings_ = 0;              // section index of the symbol names
  std::vector<std::size_t> place_;       // per section: offset in the mapping, or kNowhere
  std::vector<std::size_t> slot_;        // per symbol: offset of its slot, or kNowhere
  std::vector<std::uint64_t> external_;  // per symbol: address outside, or 0
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
};

StatusOr<std::string> Loader::string_at(const Elf64_Shdr& strings, std::size_t index) const {
  HILO_ASSIGN_OR_RETURN(auto chars, table<char>(strings.sh_offset, strings.sh_size));
  if (index >= chars.size()) return malformed("a name is outside of the string table");
  return std::string(chars.data() + index, strnlen(chars.data() + index, chars.size() - index));
}

Status Loader::read_headers() {
  HILO_ASSIGN_OR_RETURN(auto header, table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr)));
  const Elf64_Ehdr& h = header[0];
  if (std::memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_type != ET_REL ||
      h.e_machine != kElfMachine) {
    return malformed("not a relocatable ELF object of this machine");
  }
  HILO_ASSIGN_OR_RETURN(sections_, table<Elf64_Shdr>(h.e_shoff, std::size_t{h.e_shnum} * sizeof(Elf64_Shdr)));
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_SYMTAB) continue;
    HILO_ASSIGN_OR_RETURN(symbols_, table<Elf64_Sym>(section.sh_offset, section.sh_size));
    strings_ = section.sh_link;
  }
  if (strings_ >= sections_.size()) return malformed("the symbol table has no names");
  return ok_status();
}

Status Loader::lay_out() {
  place_.assign(sections_.size(), kNowhere);
  slot_.assign(symbols_.size(), kNowhere);
  external_.assign(symbols_.size(), 0);
  std::size_t end = 0;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const Elf64_Shdr& section = sections_[i];
    if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0) continue;
    if (section.sh_flags & SHF_TLS) return malformed("thread-local data in compiled code");
    // This loader alone writes relocated constants (.data.rel.ro). True variables are not supported.
    if (section.sh_type == SHT_NOBITS) return malformed("writable data in compiled code");
    HILO_RETURN_IF_ERROR(table<char>(section.sh_offset, section.sh_size).status());
    end = align_up(end, section.sh_addralign);
    place_[i] = end;
    end += section.sh_size;
  }
  end = align_up(end, kSlotBytes);
  for (std::size_t i = 1; i < symbols_.size(); ++i) {
    if (symbols_[i].st_shndx == SHN_UNDEF && symbols_[i].st_name != 0) HILO_RETURN_IF_ERROR(resolve_external(i));
    slot_[i] = end;
    end += kSlotBytes;
  }
  const size_t page = sysconf(_SC_PAGESIZE);
  size_ = align_up(end == 0 ? 1 : end, page);
  return ok_status();
}

Status Loader::resolve_external(std::size_t symbol) {
  HILO_ASSIGN_OR_RETURN(std::string name, string_at(sections_[strings_], symbols_[symbol].st_name));
  void* address = find_runtime_symbol(name);
  if (address == nullptr) return malformed(fmt::format("the code calls '{}', which is not a runtime symbol", name));
  external_[symbol] = reinterpret_cast<std::uint64_t>(address);
  return ok_status();
}

Status Loader::map_and_copy() {
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return resource_exhausted(
        fmt::format("loading compiled code: no memory for {} bytes of code: {}", size_, std::strerror(errno)));
  }
  base_ = static_cast<std::byte*>(memory);
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (place_[i] == kNowhere) continue;
    std::memcpy(base_ + place_[i], object_.data() + sections_[i].sh_offset, sections_[i].sh_size);
  }
  for (std::size_t i = 1; i < symbols_.size(); ++i) {
    auto address = symbol_address(i);
    if (!address.ok()) continue;  // sections and files: nothing refers to them
    write_slot(kElfMachine, *address, base_ + slot_[i]);
  }
  return ok_status();
}

StatusOr<std::uint64_t> Loader::symbol_address(std::size_t symbol) const {
  if (symbol >= symbols_.size()) return malformed("a relocation refers to a missing symbol");
  if (external_[symbol] != 0) return external_[symbol];
  const Elf64_Sym& s = symbols_[symbol];
  if (s.st_shndx >= place_.size() || place_[s.st_shndx] == kNowhere) {
    return malformed("a relocation refers to a symbol without memory");
  }
  return reinterpret_cast<std::uint64_t>(base_) + place_[s.st_shndx] + s.st_value;
}

Status Loader::relocate() {
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type == SHT_REL) return malformed("relocations without addends");
    if (section.sh_type != SHT_RELA || section.sh_info >= sections_.size()) continue;
    if (place_[section.sh_info] == kNowhere) continue;
    HILO_ASSIGN_OR_RETURN(auto relocations, table<Elf64_Rela>(section.sh_offset, section.sh_size));
    for (const Elf64_Rela& rela : relocations) {
      HILO_RETURN_IF_ERROR(apply(sections_[section.sh_info], place_[section.sh_info], rela));
    }
  }
  return ok_status();
}

Status Loader::apply(const Elf64_Shdr& target, std::size_t target_at, const Elf64_Rela& rela) {
  const std::size_t symbol = ELF64_R_SYM(rela.r_info);
  if (rela.r_offset > target.sh_size) return malformed("a relocation is outside of its section");
  RelocationTarget to{.addend = rela.r_addend};
  HILO_ASSIGN_OR_RETURN(to.symbol, symbol_address(symbol));
  to.slot = reinterpret_cast<std::uint64_t>(base_) + slot_[symbol];
  to.is_far = external_[symbol] != 0;
  std::byte* const where = base_ + target_at + rela.r_offset;
  return hilo::cpu::relocate(kElfMachine, ELF64_R_TYPE(rela.r_info), to, {where, target.sh_size - rela.r_offset},
                             reinterpret_cast<std::uint64_t>(where));
}

StatusOr<std::shared_ptr<CompiledCode>> Loader::finish() {
  std::map<std::string, void*, std::less<>> functions;
  LoadedObject loaded{object_, {}, {}};
  for (std::size_t place : place_) loaded.sections.push_back(place == kNowhere ? nullptr : base_ + place);
  for (std::size_t i = 1; i < symbols_.size(); ++i) {
    const Elf64_Sym& s = symbols_[i];
    if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF) continue;
    HILO_ASSIGN_OR_RETURN(std::uint64_t address, symbol_address(i));
    HILO_ASSIGN_OR_RETURN(std::string name, string_at(sections_[strings_], s.st_name));
    const auto entry = functions.emplace(std::move(name), reinterpret_cast<void*>(address)).first;
    loaded.functions.push_back({entry->first, entry->second, s.st_size});
  }
  if (mprotect(base_, size_, PROT_READ | PROT_EXEC) != 0) {
    return resource_exhausted(
        fmt::format("loading compiled code: pages can't be made executable: {}", std::strerror(errno)));
  }
  // Processors other than x86 read instructions through a cache that doesn't see writes.
  __builtin___clear_cache(reinterpret_cast<char*>(base_), reinterpret_cast<char*>(base_ + size_));
  auto code = std::make_shared<CompiledCode>(file_, base_, size_, std::move(functions), publish_symbols(loaded));
  base_ = nullptr;
  return code;
}

/// The code of this process, by object.
class LoadedObjects {
 public:
  std::shared_ptr<CompiledCode> find(const engine::ObjectPtr& object) {
    const std::scoped_lock lock(mutex_);
    const auto it = code_.find(object.get());
    return it == code_.end() ? nullptr : it->second.lock();
  }

  /// Another thread may have inserted it first.
  std::shared_ptr<CompiledCode> insert(std::shared_ptr<CompiledCode> code) {
    const std::scoped_lock lock(mutex_);
    if (code_.size() >= most_) forget_dead();
    std::weak_ptr<CompiledCode>& known = code_[code->object().get()];
    if (std::shared_ptr<CompiledCode> first = known.lock()) return first;
    known = code;
    return code;
  }

 private:
  void forget_dead() {
    std::erase_if(code_, [](const auto& entry) { return entry.second.expired(); });
    most_ = std::max<size_t>(2 * code_.size(), 64);
  }

  std::mutex mutex_;
  std::unordered_map<const std::string*, std::weak_ptr<CompiledCode>> code_;
  size_t most_ = 64;  // at this number, unused entries are removed, so that the map stays bounded
};

}  // namespace

CompiledCode::~CompiledCode() {
  if (base_ != nullptr) munmap(base_, size_);
}

void* CompiledCode::lookup(std::string_view name) const {
  auto entry = functions_.find(name);
  return entry == functions_.end() ? nullptr : entry->second;
}

std::shared_ptr<CompiledCode> unloaded_object(engine::ObjectPtr object) {
  return std::make_shared<CompiledCode>(std::move(object), nullptr, 0, std::map<std::string, void*, std::less<>>(),
                                        nullptr);
}

StatusOr<std::shared_ptr<CompiledCode>> load_object(const engine::ObjectPtr& object) {
  // Code owns its object, so no other object has the same address while the code exists. Never destroyed: code may be
  // released while the process ends.
  static auto* const loaded = new LoadedObjects;
  if (std::shared_ptr<CompiledCode> code = loaded->find(object)) return code;
  Loader loader(object);
  HILO_RETURN_IF_ERROR(loader.read_headers());
  HILO_RETURN_IF_ERROR(loader.lay_out());
  HILO_RETURN_IF_ERROR(loader.map_and_copy());
  HILO_RETURN_IF_ERROR(loader.relocate());
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<CompiledCode> code, loader.finish());
  return loaded->insert(std::move(code));
}

}  // namespace hilo::cpu
