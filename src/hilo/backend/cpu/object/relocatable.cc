// SPDX-License-Identifier: Apache-2.0
// Sections of equal name and kind follow each other in one section. Symbols move with their sections.
#include "hilo/backend/cpu/object/relocatable.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace hilo::cpu {
namespace {

constexpr size_t kNone = SIZE_MAX;
constexpr char kX86Trap = '\xcc', kArmTrap = '\0';  // fill the space between functions
constexpr size_t kMaxAlignment = 4096;
constexpr std::string_view kStackSizes = ".stack_sizes";

Status malformed(std::string_view what) { return internal_error(fmt::format("joining objects: {}", what)); }

/// An object file whose tables lie within it.
struct Reader {
  std::string_view bytes;
  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Sym> symbols;
  size_t symbol_names = 0;  ///< section of their names
  Elf64_Half machine = EM_NONE;

  template <typename T>
  StatusOr<std::vector<T>> table(size_t offset, size_t size) const {
    if (offset > bytes.size() || size > bytes.size() - offset) return malformed("a table is outside of the object");
    std::vector<T> entries(size / sizeof(T));
    if (!entries.empty()) std::memcpy(entries.data(), bytes.data() + offset, entries.size() * sizeof(T));
    return entries;
  }
  StatusOr<std::string> name(size_t section, size_t index) const {
    if (section >= sections.size()) return malformed("names in a missing section");
    const Elf64_Shdr& s = sections[section];
    if (s.sh_offset > bytes.size() || s.sh_size > bytes.size() - s.sh_offset || index >= s.sh_size)
      return malformed("a name is outside of the object");
    const std::string_view rest = bytes.substr(s.sh_offset + index, s.sh_size - index);
    return std::string(rest.substr(0, rest.find('\0')));
  }
  std::string_view data(const Elf64_Shdr& section) const { return bytes.substr(section.sh_offset, section.sh_size); }
};

StatusOr<Reader> read(std::string_view bytes) {
  Reader file{bytes, {}, {}};
  HILO_ASSIGN_OR_RETURN(const auto headers, file.table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr)));
  const Elf64_Ehdr& h = headers[0];
  if (std::memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_type != ET_REL ||
      (h.e_machine != EM_X86_64 && h.e_machine != EM_AARCH64))
    return malformed("not a relocatable ELF object of x86-64 or AArch64");
  file.machine = h.e_machine;
  HILO_ASSIGN_OR_RETURN(file.sections, file.table<Elf64_Shdr>(h.e_shoff, size_t{h.e_shnum} * sizeof(Elf64_Shdr)));
  for (const Elf64_Shdr& section : file.sections) {
    HILO_RETURN_IF_ERROR(file.table<char>(section.sh_offset, section.sh_size).status());
    if (section.sh_type != SHT_SYMTAB) continue;
    HILO_ASSIGN_OR_RETURN(file.symbols, file.table<Elf64_Sym>(section.sh_offset, section.sh_size));
    file.symbol_names = section.sh_link;
  }
  if (file.symbol_names == 0) return malformed("no symbol table");
  return file;
}

bool is_kept(const Elf64_Shdr& section) { return (section.sh_flags & SHF_ALLOC) != 0 && section.sh_size != 0; }

struct OutSymbol {
  std::string name;
  Elf64_Sym symbol = {};
  size_t section = kNone;  ///< kNone: undefined
};

struct OutSection {
  std::string name;
  Elf64_Shdr header = {};
  std::string data;
  std::vector<Elf64_Rela> relocations;  ///< r_info has the index in Joiner::symbols_ until the end
};

void append_text(std::string& to, const void* from, size_t size) { to.append(static_cast<const char*>(from), size); }
void pad_to(std::string& bytes, size_t alignment, char filler = '\0') {
  while (alignment > 1 && bytes.size() % alignment != 0) bytes += filler;
}

Elf64_Shdr section_header(uint32_t type, size_t alignment, size_t entry = 0, size_t link = 0, size_t info = 0) {
  Elf64_Shdr header = {};
  header.sh_type = type;
  header.sh_addralign = alignment;
  header.sh_entsize = entry;
  header.sh_link = static_cast<uint32_t>(link);
  header.sh_info = static_cast<uint32_t>(info);
  return header;
}

class Joiner {
 public:
  explicit Joiner(std::span<const std::string> exported) : exported_(exported.begin(), exported.end()) {}

  Status add(const ObjectPart& part) {
    HILO_ASSIGN_OR_RETURN(const Reader file, read(part.bytes));
    if (machine_ != EM_NONE && machine_ != file.machine) return malformed("objects of two architectures");
    machine_ = file.machine;
    places_.assign(file.sections.size(), {});
    HILO_RETURN_IF_ERROR(add_sections(file));
    HILO_RETURN_IF_ERROR(add_symbols(file, part));
    HILO_RETURN_IF_ERROR(add_relocations(file));
    ++part_;
    return ok_status();
  }

  /// The function belongs to part 0, and is code of x86-64.
  void add_code(const RawFunction& function) {
    machine_ = EM_X86_64;
    Elf64_Shdr text = section_header(SHT_PROGBITS, 16);
    text.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    OutSymbol symbol;
    symbol.section = section_for(".text", text);
    OutSection& out = sections_[symbol.section];
    out.header.sh_addralign = std::max<size_t>(out.header.sh_addralign, text.sh_addralign);
    pad_to(out.data, text.sh_addralign, kX86Trap);
    symbol.name = function.name;
    symbol.symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
    symbol.symbol.st_value = out.data.size();
    symbol.symbol.st_size = function.code.size();
    out.data += function.code;
    definitions_.emplace(function.name, symbols_.size());
    symbols_.push_back(std::move(symbol));
    functions_.push_back({function.name, 0, std::ssize(function.code), function.stack_bytes});
  }

  StatusOr<JoinedObject> finish() {
    resolve();
    JoinedObject object;
    for (const OutSymbol& s : symbols_) {
      if (s.section == kNone && is_used(s)) object.undefined.push_back(s.name);
    }
    std::ranges::sort(object.undefined);
    for (const OutSection& s : sections_)
      (s.header.sh_flags & SHF_EXECINSTR ? object.text_bytes : object.data_bytes) += std::ssize(s.data);
    object.functions = std::move(functions_);
    object.bytes = written();
    return object;
  }

 private:
  struct Place {
    size_t section = kNone;  ///< index in sections_
    size_t offset = 0;
    size_t symbol = kNone;  ///< of that section
  };

  Status add_sections(const Reader& file) {
    for (size_t k = 0; k < file.sections.size(); ++k) {
      const Elf64_Shdr& section = file.sections[k];
      if (!is_kept(section)) continue;
      if (section.sh_type == SHT_NOBITS || (section.sh_flags & (SHF_TLS | SHF_GROUP)) != 0)
        return malformed("variables in compiled code");
      if (section.sh_addralign > kMaxAlignment) return malformed("an alignment of more than a page");
      HILO_ASSIGN_OR_RETURN(const std::string name, file.name(header_names(file), section.sh_name));
      OutSection& out = sections_[places_[k].section = section_for(name, section)];
      pad_to(out.data, section.sh_addralign, (section.sh_flags & SHF_EXECINSTR) != 0 ? trap() : '\0');
      out.header.sh_addralign = std::max(out.header.sh_addralign, section.sh_addralign);
      places_[k].offset = out.data.size();
      places_[k].symbol = section_symbols_.at(places_[k].section);
      out.data += file.data(section);
    }
    return ok_status();
  }

  static size_t header_names(const Reader& file) {
    Elf64_Ehdr header;
    std::memcpy(&header, file.bytes.data(), sizeof(header));
    return header.e_shstrndx;
  }

  size_t section_for(const std::string& name, const Elf64_Shdr& like) {
    for (size_t k = 0; k < sections_.size(); ++k) {
      const OutSection& s = sections_[k];
      if (s.name == name && s.header.sh_type == like.sh_type && s.header.sh_flags == like.sh_flags &&
          s.header.sh_entsize == like.sh_entsize)
        return k;
    }
    OutSection& out = sections_.emplace_back();
    out.name = name;
    out.header.sh_type = like.sh_type;
    out.header.sh_flags = like.sh_flags;
    out.header.sh_entsize = like.sh_entsize;
    out.header.sh_addralign = 1;
    section_symbols_.push_back(symbols_.size());
    OutSymbol& symbol = symbols_.emplace_back();
    symbol.section = sections_.size() - 1;
    symbol.symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
    return sections_.size() - 1;
  }

  Status add_symbols(const Reader& file, const ObjectPart& part) {
    numbers_.assign(file.symbols.size(), kNone);
    for (size_t k = 1; k < file.symbols.size(); ++k) {
      const Elf64_Sym& symbol = file.symbols[k];
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      if (type == STT_FILE) continue;
      HILO_ASSIGN_OR_RETURN(std::string name, file.name(file.symbol_names, symbol.st_name));
      if (symbol.st_shndx == SHN_UNDEF) {
        numbers_[k] = reference(name);
        continue;
      }
      if (symbol.st_shndx >= file.sections.size()) return malformed("a symbol outside of all sections");
      const Place& place = places_[symbol.st_shndx];
      if (place.section == kNone) continue;  // of a section that isn't kept
      numbers_[k] = symbols_.size();
      OutSymbol& out = symbols_.emplace_back();
      out.section = place.section;
      out.symbol = symbol;
      out.symbol.st_value += place.offset;
      const bool global = ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
      out.name = global ? part.prefix + name : name;
      if (global && !definitions_.emplace(out.name, numbers_[k]).second)
        return malformed(fmt::format("two functions are named '{}'", out.name));
      const bool exported = global && exported_.contains(out.name);
      out.symbol.st_info = ELF64_ST_INFO(exported ? STB_GLOBAL : STB_LOCAL, type);
      if (type == STT_FUNC) functions_.push_back({out.name, part_, static_cast<int64_t>(symbol.st_size), -1});
      if (type == STT_FUNC) function_of_[numbers_[k]] = functions_.size() - 1;
    }
    return ok_status();
  }

  /// Returns the symbol of a name that this part doesn't define.
  size_t reference(const std::string& name) {
    const auto [it, added] = references_.emplace(name, symbols_.size());
    if (added) {
      OutSymbol& out = symbols_.emplace_back();
      out.name = name;
      out.symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
    }
    return it->second;
  }

  Status add_relocations(const Reader& file) {
    for (const Elf64_Shdr& table : file.sections) {
      if (table.sh_type == SHT_REL) return malformed("relocations without addends");
      if (table.sh_type != SHT_RELA || table.sh_info >= file.sections.size()) continue;
      HILO_ASSIGN_OR_RETURN(const auto relocations, file.table<Elf64_Rela>(table.sh_offset, table.sh_size));
      const Elf64_Shdr& target = file.sections[table.sh_info];
      HILO_ASSIGN_OR_RETURN(const std::string name, file.name(header_names(file), target.sh_name));
      if (name == kStackSizes) HILO_RETURN_IF_ERROR(read_stack_sizes(file, target, relocations));
      const Place& place = places_[table.sh_info];
      if (place.section == kNone) continue;
      for (const Elf64_Rela& from : relocations) HILO_RETURN_IF_ERROR(add_relocation(file, from, place));
    }
    return ok_status();
  }

  Status add_relocation(const Reader& file, Elf64_Rela relocation, const Place& place) {
    const size_t symbol = ELF64_R_SYM(relocation.r_info);
    if (symbol >= file.symbols.size()) return malformed("a relocation refers to a missing symbol");
    size_t number = numbers_[symbol];
    const Elf64_Sym& target = file.symbols[symbol];
    if (ELF64_ST_TYPE(target.st_info) == STT_SECTION && target.st_shndx < places_.size()) {
      relocation.r_addend += static_cast<int64_t>(places_[target.st_shndx].offset);
      number = places_[target.st_shndx].symbol;
    }
    if (number == kNone) return malformed("a relocation refers to a symbol without memory");
    relocation.r_offset += place.offset;
    relocation.r_info = ELF64_R_INFO(number, ELF64_R_TYPE(relocation.r_info));
    sections_[place.section].relocations.push_back(relocation);
    return ok_status();
  }

  /// The section has, per function, its address and the size of its frame as ULEB128.
  Status read_stack_sizes(const Reader& file, const Elf64_Shdr& section, std::span<const Elf64_Rela> relocations) {
    const std::string_view data = file.data(section);
    for (const Elf64_Rela& relocation : relocations) {
      uint64_t size = 0;
      size_t at = relocation.r_offset + sizeof(uint64_t);
      for (unsigned shift = 0; shift < 64; shift += 7, ++at) {
        if (at >= data.size()) return malformed("the size of a frame is missing");
        size |= (static_cast<uint64_t>(data[at]) & 0x7f) << shift;
        if ((data[at] & 0x80) == 0) break;
      }
      set_stack_size(file, relocation, static_cast<int64_t>(size));
    }
    return ok_status();
  }

  void set_stack_size(const Reader& file, const Elf64_Rela& relocation, int64_t size) {
    const size_t symbol = ELF64_R_SYM(relocation.r_info);
    if (symbol >= file.symbols.size()) return;
    const Elf64_Sym& target = file.symbols[symbol];
    for (size_t k = 1; k < file.symbols.size(); ++k) {
      const Elf64_Sym& s = file.symbols[k];
      if (s.st_shndx != target.st_shndx || s.st_value != target.st_value + static_cast<uint64_t>(relocation.r_addend))
        continue;
      if (const auto it = function_of_.find(numbers_[k]); it != function_of_.end())
        functions_[it->second].stack_bytes = size;
    }
  }

  bool is_used(const OutSymbol& symbol) const { return used_.contains(static_cast<size_t>(&symbol - symbols_.data())); }

  /// References to functions of other parts become references to their definitions.
  void resolve() {
    std::map<size_t, size_t> found;
    for (const auto& [name, number] : references_) {
      if (const auto it = definitions_.find(name); it != definitions_.end()) found.emplace(number, it->second);
    }
    used_.clear();
    for (OutSection& section : sections_) {
      for (Elf64_Rela& relocation : section.relocations) {
        size_t number = ELF64_R_SYM(relocation.r_info);
        if (const auto it = found.find(number); it != found.end()) number = it->second;
        relocation.r_info = ELF64_R_INFO(number, ELF64_R_TYPE(relocation.r_info));
        used_.insert(number);
      }
    }
  }

  std::string written();
  char trap() const { return machine_ == EM_X86_64 ? kX86Trap : kArmTrap; }

  std::set<std::string, std::less<>> exported_;
  std::vector<OutSection> sections_;
  std::vector<size_t> section_symbols_;  ///< per section
  std::vector<OutSymbol> symbols_;
  std::map<std::string, size_t> definitions_, references_;
  std::vector<ObjectFunction> functions_;
  std::map<size_t, size_t> function_of_;  ///< symbol -> entry of functions_
  std::set<size_t> used_;                 ///< symbols that relocations refer to
  size_t part_ = 0;
  Elf64_Half machine_ = EM_NONE;  ///< of all parts
  // Of the part that is being added:
  std::vector<Place> places_;    ///< per section
  std::vector<size_t> numbers_;  ///< per symbol: its index in symbols_
};

/// A table of names, each of which ends with a zero.
class NameTable {
 public:
  uint32_t add(const std::string& name) {
    if (name.empty()) return 0;
    const auto at = static_cast<uint32_t>(bytes_.size());
    bytes_ += name;
    bytes_ += '\0';
    return at;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
};

Elf64_Ehdr file_header(Elf64_Half machine, size_t sections_at, size_t sections) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_shoff = sections_at;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(sections);
  header.e_shstrndx = static_cast<uint16_t>(sections - 1);
  return header;
}

/// File: header | sections | relocations | symbols | names | names of sections | table of sections.
std::string Joiner::written() {
  // Local symbols come first.
  std::vector<size_t> order;
  for (const bool local : {true, false}) {
    for (size_t k = 0; k < symbols_.size(); ++k) {
      const bool is_local = ELF64_ST_BIND(symbols_[k].symbol.st_info) == STB_LOCAL;
      if (is_local == local && (symbols_[k].section != kNone || used_.contains(k))) order.push_back(k);
    }
  }
  std::vector<uint64_t> place(symbols_.size());
  std::string symbol_bytes(sizeof(Elf64_Sym), '\0');
  NameTable names, section_names;
  size_t locals = 1;
  for (size_t k = 0; k < order.size(); ++k) {
    const OutSymbol& symbol = symbols_[order[k]];
    place[order[k]] = k + 1;
    Elf64_Sym out = symbol.symbol;
    out.st_name = names.add(symbol.name);
    out.st_shndx = symbol.section == kNone ? SHN_UNDEF : static_cast<uint16_t>(symbol.section + 1);
    append_text(symbol_bytes, &out, sizeof(out));
    if (ELF64_ST_BIND(out.st_info) == STB_LOCAL) ++locals;
  }

  std::string bytes(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> headers(1);
  const auto add = [&](Elf64_Shdr header, const std::string& name, const std::string& data) {
    pad_to(bytes, std::max<size_t>(header.sh_addralign, 1));
    header.sh_name = section_names.add(name);
    header.sh_offset = bytes.size();
    header.sh_size = data.size();
    bytes += data;
    headers.push_back(header);
  };
  for (const OutSection& section : sections_) add(section.header, section.name, section.data);
  size_t tables = 0;
  for (const OutSection& section : sections_) tables += section.relocations.empty() ? 0 : 1;
  const size_t symbol_table = 1 + sections_.size() + tables + 1;  // after .note.GNU-stack
  for (size_t k = 0; k < sections_.size(); ++k) {
    if (sections_[k].relocations.empty()) continue;
    std::string data;
    for (Elf64_Rela relocation : sections_[k].relocations) {
      relocation.r_info = ELF64_R_INFO(place[ELF64_R_SYM(relocation.r_info)], ELF64_R_TYPE(relocation.r_info));
      append_text(data, &relocation, sizeof(relocation));
    }
    Elf64_Shdr header = section_header(SHT_RELA, 8, sizeof(Elf64_Rela), symbol_table, k + 1);
    header.sh_flags = SHF_INFO_LINK;
    add(header, ".rela" + sections_[k].name, data);
  }
  // Without this section the linker would make the stack executable.
  add(section_header(SHT_PROGBITS, 1), ".note.GNU-stack", "");
  add(section_header(SHT_SYMTAB, 8, sizeof(Elf64_Sym), symbol_table + 1, locals), ".symtab", symbol_bytes);
  add(section_header(SHT_STRTAB, 1), ".strtab", names.bytes());
  const uint32_t own_name = section_names.add(".shstrtab");
  add(section_header(SHT_STRTAB, 1), "", section_names.bytes());
  headers.back().sh_name = own_name;

  pad_to(bytes, 8);
  const Elf64_Ehdr header = file_header(machine_, bytes.size(), headers.size());
  std::memcpy(bytes.data(), &header, sizeof(header));
  for (const Elf64_Shdr& h : headers) append_text(bytes, &h, sizeof(h));
  return bytes;
}

}  // namespace

StatusOr<JoinedObject> join_objects(std::span<const ObjectPart> parts, std::span<const std::string> exported,
                                    std::span<const RawFunction> raw) {
  Joiner joiner(exported);
  for (const RawFunction& function : raw) joiner.add_code(function);
  for (const ObjectPart& part : parts) HILO_RETURN_IF_ERROR(joiner.add(part));
  return joiner.finish();
}

StatusOr<std::vector<std::string>> undefined_names(std::string_view object) {
  HILO_ASSIGN_OR_RETURN(const Reader file, read(object));
  std::vector<std::string> names;
  for (size_t k = 1; k < file.symbols.size(); ++k) {
    if (file.symbols[k].st_shndx != SHN_UNDEF) continue;
    HILO_ASSIGN_OR_RETURN(names.emplace_back(), file.name(file.symbol_names, file.symbols[k].st_name));
  }
  return names;
}

}  // namespace hilo::cpu
