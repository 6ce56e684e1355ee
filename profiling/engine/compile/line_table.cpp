// profiling/engine/compile/line_table.cpp: the line table of a cubin: which calls an instruction
// was inlined through.
#include "profiling/engine/compile/line_table.h"

#include <algorithm>
#include <optional>

#include "profiling/binaries/cursor.h"
#include "profiling/binaries/elf.h"

namespace warpscope {
namespace {

constexpr std::size_t kSymbolBytes = 24, kRelocationBytes = 24;

// By a place in the table where an address stands: the function that it is of.
std::map<std::size_t, std::string> functions_at(const std::vector<ElfSection>& sections,
                                                std::size_t lines) {
  constexpr std::string_view kText = ".text.";
  std::map<std::size_t, std::string> functions;
  for (const ElfSection& s : sections) {
    if (s.type != kElfRelocations || s.info != lines || s.link >= sections.size()) continue;
    for (std::size_t i = 0; i + kRelocationBytes <= s.bytes.size(); i += kRelocationBytes) {
      Cursor row{s.bytes, i};
      const auto place = row.fixed<std::uint64_t>(), what = row.fixed<std::uint64_t>();
      Cursor symbol{sections[s.link].bytes, (what >> 32) * kSymbolBytes + 6};
      const auto section = symbol.fixed<std::uint16_t>();
      if (symbol.torn || section >= sections.size()) continue;
      const std::string_view name = sections[section].name;
      if (name.starts_with(kText)) functions[place] = name.substr(kText.size());
    }
  }
  return functions;
}

}  // namespace

// Runs the table's program, one unit after another.
class LineTableReader {
 public:
  LineTableReader(std::string_view text, const std::map<std::size_t, std::string>& functions,
                  LineTable& table)
      : c_{text}, functions_(functions), table_(table) {}
  bool read() {
    while (c_.at < c_.text.size() && !c_.torn) unit();
    return !c_.torn;
  }

 private:
  struct State {
    std::uint64_t address = 0, file = 1;
    std::int64_t line = 1;
    std::size_t called_from = 0;
    std::string function;
    std::vector<LineTable::Row> rows;
  };
  enum Standard : std::uint8_t {
    extended,
    copy,
    advance_pc,
    advance_line,
    set_file,
    set_column,
    negate_statement,
    set_basic_block,
    const_add_pc,
    fixed_advance_pc
  };
  enum Extended : std::uint8_t { end_sequence = 1, set_address = 2, inlined_call = 0x90 };

  void unit() {
    const auto length = c_.fixed<std::uint32_t>();
    const std::size_t end = c_.at + length;
    if (end > c_.text.size()) c_.torn = true;
    c_.fixed<std::uint16_t>();  // version
    const auto header = c_.fixed<std::uint32_t>();
    const std::size_t program = c_.at + header;
    step_ = c_.fixed<std::uint8_t>();
    c_.fixed<std::uint8_t>();  // whether rows begin statements
    line_base_ = c_.fixed<std::int8_t>();
    line_range_ = std::max<std::uint8_t>(1, c_.fixed<std::uint8_t>());
    opcode_base_ = std::max<std::uint8_t>(1, c_.fixed<std::uint8_t>());
    operands_.assign(opcode_base_, 0);
    for (std::size_t i = 1; i < opcode_base_; ++i) operands_[i] = c_.fixed<std::uint8_t>();
    std::vector<std::string> folders{""};
    for (std::string name = c_.string(); !name.empty(); name = c_.string()) folders.push_back(name);
    files_.assign(1, "");
    for (std::string name = c_.string(); !name.empty(); name = c_.string()) {
      const std::uint64_t folder = c_.number();
      c_.number();  // time
      c_.number();  // size
      const bool has_folder = folder < folders.size() && !folders[folder].empty();
      files_.push_back(has_folder ? folders[folder] + "/" + name : name);
    }
    c_.at = program;
    State s;
    while (c_.at < end && !c_.torn) step(s);
  }

  void step(State& s) {
    const auto opcode = c_.fixed<std::uint8_t>();
    if (opcode >= opcode_base_) {
      const int special = opcode - opcode_base_;
      s.address += static_cast<std::uint64_t>(special / line_range_) * step_;
      s.line += line_base_ + special % line_range_;
      return add_row(s);
    }
    switch (opcode) {
      case extended:
        return step_extended(s);
      case copy:
        return add_row(s);
      case advance_pc:
        s.address += c_.number() * step_;
        return;
      case advance_line:
        s.line += c_.signed_number();
        return;
      case set_file:
        s.file = c_.number();
        return;
      case const_add_pc:
        s.address += static_cast<std::uint64_t>((255 - opcode_base_) / line_range_) * step_;
        return;
      case fixed_advance_pc:
        s.address += c_.fixed<std::uint16_t>();
        return;
      default:  // columns, statements, and what later tables add
        for (int i = 0; i < operands_[opcode] && !c_.torn; ++i) c_.number();
    }
  }

  void step_extended(State& s) {
    const std::uint64_t length = c_.number();
    const std::size_t begin = c_.at;
    if (length > c_.text.size() - std::min(begin, c_.text.size())) c_.torn = true;
    if (c_.torn || length == 0) return;
    switch (c_.fixed<std::uint8_t>()) {
      case end_sequence:
        // Rows without a function are of no kernel.
        if (!s.function.empty()) table_.functions_[s.function] = {std::move(s.rows), s.address};
        s = {};
        break;
      case set_address: {
        const auto function = functions_.find(c_.at);
        s.function = function == functions_.end() ? "" : function->second;
        s.address = c_.fixed<std::uint64_t>();
        break;
      }
      case inlined_call:
        s.called_from = c_.number();
        break;
      default:
        break;
    }
    c_.at = begin + length;
  }

  void add_row(State& s) {
    const std::string file = s.file < files_.size() ? files_[s.file] : "";
    s.rows.push_back({s.address, {file, static_cast<int>(s.line), 0}, s.called_from});
  }

  Cursor c_;
  const std::map<std::size_t, std::string>& functions_;
  LineTable& table_;
  std::uint8_t step_ = 1, line_range_ = 1, opcode_base_ = 1;
  std::int8_t line_base_ = 0;
  std::vector<std::uint8_t> operands_;  // by opcode
  std::vector<std::string> files_;
};

Result<LineTable> LineTable::read(std::string_view cubin) {
  const Result<ElfFile> elf = read_elf(cubin, "cubin");
  if (!elf) {
    return failure(ErrorKind::input, "the machine code is not a 64-bit ELF file", "cubin",
                   "compile it again");
  }
  const std::vector<ElfSection>& sections = elf->sections;
  LineTable table;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].name != ".debug_line") continue;
    const std::map<std::size_t, std::string> functions = functions_at(sections, i);
    if (!LineTableReader(sections[i].bytes, functions, table).read()) {
      return failure(ErrorKind::input, "the line table of the machine code is damaged", "cubin",
                     "compile it again");
    }
  }
  return table;
}

CallChain LineTable::at(const std::string& entry, std::uint64_t offset) const {
  const auto function = functions_.find(entry);
  if (function == functions_.end() || offset >= function->second.end) return {};
  const std::vector<Row>& rows = function->second.rows;
  auto row = std::upper_bound(rows.begin(), rows.end(), offset,
                              [](std::uint64_t o, const Row& r) { return o < r.offset; });
  CallChain chain;
  constexpr std::size_t kDeepest = 64;  // a table that goes in circles ends here
  while (row != rows.begin() && chain.size() < kDeepest) {
    const Row& here = *std::prev(row);
    chain.push_back(here.position);
    if (here.called_from == 0 || here.called_from > rows.size()) break;
    row = rows.begin() + static_cast<std::ptrdiff_t>(here.called_from);
  }
  return chain;
}

}  // namespace warpscope
