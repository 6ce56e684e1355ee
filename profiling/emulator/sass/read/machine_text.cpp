// profiling/emulator/sass/read/machine_text.cpp: what nvdisasm prints of a function, instruction by
// instruction.
#include "profiling/emulator/sass/read/machine_text.h"

#include <charconv>
#include <optional>

namespace warpscope {
namespace {

std::string_view stripped(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

// Not ".sectioninfo", which stands in sections of older architectures.
bool is_section(std::string_view row) {
  return row.starts_with(".section\t") || row.starts_with(".section ");
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}
std::optional<int> decimal(std::string_view text) {
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

// "0x1f" or "-0x4".
std::optional<std::int64_t> integer(std::string_view text) {
  const bool negative = text.starts_with("-");
  if (negative) text.remove_prefix(1);
  if (!text.starts_with("0x")) return std::nullopt;
  const std::optional<std::uint64_t> value = hexadecimal(text.substr(2));
  if (!value) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *value : *value);
}

bool is_number(std::string_view text) {
  if (text.starts_with("+") || text.starts_with("-")) text.remove_prefix(1);
  if (text == "INF" || text == "QNAN" || text == "SNAN") return true;
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec != std::errc::invalid_argument && read.ptr == text.data() + text.size() &&
         !text.empty() && text[0] >= '0' && text[0] <= '9';
}

// "R12", "URZ", "PT": false if it is not the name of a register.
bool read_register(std::string_view name, OperandKind& kind, int& number) {
  const bool uniform = name.starts_with("U");
  std::string_view rest = name.substr(uniform ? 1 : 0);
  if (rest.size() < 2) return false;
  const char family = rest[0];
  rest.remove_prefix(1);
  int last = 0;
  if (family == 'R') {
    kind = uniform ? OperandKind::uniform : OperandKind::general;
    last = uniform ? kZeroUniform : kZeroRegister;
    if (rest == "Z") {
      number = last;
      return true;
    }
  } else if (family == 'P') {
    kind = uniform ? OperandKind::uniform_predicate : OperandKind::predicate;
    last = kTruePredicate;
    if (rest == "T") {
      number = last;
      return true;
    }
  } else if (family == 'B' && !uniform) {
    kind = OperandKind::barrier;
    last = 16;
  } else {
    return false;
  }
  const std::optional<int> n = decimal(rest);
  if (!n || *n < 0 || *n >= last) return false;
  number = *n;
  return true;
}

std::vector<std::string> split_parts(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    if (part != "reuse" && !part.empty()) parts.emplace_back(part);
    if (dot == std::string_view::npos) break;
    text.remove_prefix(dot + 1);
  }
  return parts;
}

// What stands in brackets: "R6.64+-0x4", "R0+UR4+0x20", "0x218".
bool read_terms(std::string_view text, MachineOperand& o) {
  while (!text.empty()) {
    const std::size_t plus = text.find('+');
    const std::string_view term = stripped(text.substr(0, plus));
    if (const std::optional<std::int64_t> n = integer(term)) {
      o.value += *n;
    } else {
      const std::size_t dot = term.find('.');
      OperandKind kind = OperandKind::none;
      AddressTerm t;
      if (!read_register(term.substr(0, dot), kind, t.number)) return false;
      if (kind != OperandKind::general && kind != OperandKind::uniform) return false;
      t.uniform = kind == OperandKind::uniform;
      if (dot != std::string_view::npos) t.part = term.substr(dot + 1);
      if (t.number != (t.uniform ? kZeroUniform : kZeroRegister)) o.terms.push_back(t);
    }
    if (plus == std::string_view::npos) break;
    text.remove_prefix(plus + 1);
  }
  return true;
}

// "c[0x0][0x210]", "c[0x3][R2+0x4]", with a sign that was taken.
bool read_constant(std::string_view text, MachineOperand& o) {
  if (!text.starts_with("c[")) return false;
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos || text.size() < end + 3 || text[end + 1] != '[') return false;
  const std::optional<std::int64_t> bank = integer(text.substr(2, end - 2));
  const std::size_t last = text.find(']', end + 2);
  if (!bank || *bank < 0 || *bank > 31 || last == std::string_view::npos) return false;
  o.kind = OperandKind::constant;
  o.bank = static_cast<int>(*bank);
  if (!read_terms(text.substr(end + 2, last - end - 2), o)) return false;
  o.parts = split_parts(text.substr(last + 1));
  return true;
}

// "[R2+0x10]", "desc[UR4][R2.64]", "gdesc[UR8].tnspB".
bool read_memory(std::string_view text, MachineOperand& o) {
  if (text.starts_with("gdesc[") || text.starts_with("desc[")) {
    const std::size_t begin = text.find('[') + 1, end = text.find(']');
    OperandKind kind = OperandKind::none;
    if (end == std::string_view::npos ||
        !read_register(text.substr(begin, end - begin), kind, o.descriptor) ||
        kind != OperandKind::uniform) {
      return false;
    }
    o.kind = OperandKind::memory;
    const bool matrix = text[0] == 'g';
    text.remove_prefix(end + 1);
    if (matrix) {
      o.parts = split_parts(text);
      return true;
    }
  }
  if (!text.starts_with("[")) return false;
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos) return false;
  o.kind = OperandKind::memory;
  o.parts = split_parts(text.substr(end + 1));
  return read_terms(text.substr(1, end - 1), o);
}

}  // namespace

MachineOperand read_operand(std::string_view given) {
  MachineOperand o;
  const std::string_view whole = stripped(given);
  o.text = whole;
  o.kind = OperandKind::name;
  std::string_view text = whole;
  if (text.starts_with("`(") && text.ends_with(")")) {
    o.kind = OperandKind::label;
    o.text = text.substr(2, text.size() - 3);
    return o;
  }
  if (const std::optional<std::int64_t> n = integer(text)) {
    o.kind = OperandKind::integer;
    o.value = *n;
    return o;
  }
  if (is_number(text)) {
    o.kind = OperandKind::number;
    return o;
  }
  MachineOperand found;
  found.text = o.text;
  if (text.starts_with("-")) found.negated = true;
  if (text.starts_with("~")) found.inverted = true;
  if (text.starts_with("!")) found.complement = true;
  if (found.negated || found.inverted || found.complement) text.remove_prefix(1);
  if (text.starts_with("|")) {
    // "|R2|", "|R2.H0_H0|", "|c[0x0][0x10]|", with parts before or after the second bar.
    const std::size_t end = text.rfind('|');
    if (end == 0) return o;
    found.absolute = true;
    const std::string_view inside = text.substr(1, end - 1), after = text.substr(end + 1);
    MachineOperand inner = read_operand(inside);
    if (inner.negated || inner.inverted || inner.complement || inner.absolute) return o;
    for (std::string& part : split_parts(after)) inner.parts.push_back(std::move(part));
    inner.negated = found.negated;
    inner.absolute = true;
    inner.text = found.text;
    return found.inverted || found.complement ? o : inner;
  }
  if (read_constant(text, found) || read_memory(text, found)) return found;
  const std::size_t dot = text.find('.');
  if (!read_register(text.substr(0, dot), found.kind, found.number)) return o;
  if (dot != std::string_view::npos) found.parts = split_parts(text.substr(dot + 1));
  return found;
}

std::vector<CalledFunction> called_functions(const MachineFunction& kernel) {
  const std::string begin = "$" + kernel.name + "$";
  std::vector<CalledFunction> found;
  for (const auto& [label, offset] : kernel.labels) {
    if (label.starts_with(begin)) found.push_back({label.substr(begin.size()), offset});
  }
  return found;
}

namespace {

// Reads "File "a.cu", line 5 inlined at "b.cu", line 9": the first place of the row.
std::optional<SourcePosition> position_of(std::string_view line) {
  const std::size_t at = line.find("File \"");
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + 6);
  const std::size_t end = line.find("\", line ");
  if (end == std::string_view::npos) return std::nullopt;
  SourcePosition position;
  position.file = line.substr(0, end);
  line.remove_prefix(end + 8);
  position.line = decimal(line.substr(0, line.find_first_not_of("0123456789"))).value_or(0);
  return position;
}

// Commas outside of brackets part operands.
std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> found;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '[' || text[k] == '(') ++depth;
    if (text[k] == ']' || text[k] == ')') --depth;
    if (text[k] != ',' || depth != 0) continue;
    found.push_back(stripped(text.substr(begin, k - begin)));
    begin = k + 1;
  }
  found.push_back(stripped(text.substr(begin)));
  return found;
}

// ".L_x_1" and ".L_x_2" of "(*"BRANCH_TARGETS .L_x_1,.L_x_2"*)".
std::vector<std::string> branch_targets(std::string_view note) {
  constexpr std::string_view kBegin = "BRANCH_TARGETS ";
  const std::size_t at = note.find(kBegin);
  std::vector<std::string> targets;
  if (at == std::string_view::npos) return targets;
  note.remove_prefix(at + kBegin.size());
  note = note.substr(0, note.find('"'));
  for (const std::string_view part : split_operands(note)) targets.emplace_back(part);
  return targets;
}

// "@!P0 LDG.E R2, desc[UR4][R2.64]".
bool read_instruction(std::string_view text, MachineInstruction& i) {
  if (const std::size_t note = text.find("(*\""); note != std::string_view::npos) {
    i.spill = text.find("Spill", note) != std::string_view::npos;
    i.branch_targets = branch_targets(text.substr(note));
    text = stripped(text.substr(0, note));
  }
  i.text = text;
  if (text.starts_with("@")) {
    const std::size_t end = text.find(' ');
    if (end == std::string_view::npos) return false;
    i.guard = read_operand(text.substr(1, end - 1));
    if (!i.guard.is_predicate()) return false;
    text = stripped(text.substr(end));
  }
  const std::size_t end = text.find_first_of(" \t");
  i.opcode = text.substr(0, end);
  std::vector<std::string> parts = split_parts(i.opcode);
  if (parts.empty()) return false;
  i.name = parts.front();
  parts.erase(parts.begin());
  i.modifiers = std::move(parts);
  if (end == std::string_view::npos) return true;
  const std::string_view rest = stripped(text.substr(end));
  // "BRX R4 -0xa60" and "RET.REL.NODEC R4 `(k)" have blanks where others have commas.
  for (const std::string_view part : split_operands(rest)) {
    const std::size_t blank = part.find(' ');
    if (blank != std::string_view::npos && part.find('[') == std::string_view::npos) {
      i.operands.push_back(read_operand(part.substr(0, blank)));
      i.operands.push_back(read_operand(stripped(part.substr(blank))));
    } else {
      i.operands.push_back(read_operand(part));
    }
  }
  return true;
}

// Takes the rows of the one section that a function's code is in.
class Reader {
 public:
  explicit Reader(MachineFunction& function) : function_(function) {
    section_ = ".text." + function.name;
  }
  Result<void> take(std::string_view line) {
    const std::string_view row = stripped(line);
    if (is_section(row)) {
      inside_ = row.find('\t' + section_ + ',') != std::string_view::npos ||
                row.find('"' + section_ + '"') != std::string_view::npos ||
                row.find(' ' + section_ + ',') != std::string_view::npos;
      found_ = found_ || inside_;
      return {};
    }
    if (!inside_) return {};
    if (row.starts_with("//##")) return take_position(row);
    if (row.starts_with("/* 0x")) return take_second_half(row);
    if (row.starts_with("/*")) return take_instruction(row);
    if (row.ends_with(":") && !line.starts_with(" ")) {
      function_.labels[std::string(row.substr(0, row.size() - 1))] = next_offset();
    }
    return {};
  }
  bool found() const { return found_; }

 private:
  std::uint32_t next_offset() const {
    return kMachineInstructionBytes * static_cast<std::uint32_t>(function_.code.size());
  }
  Result<void> refuse(std::string_view row) const {
    return failure(ErrorKind::input,
                   "a line of the disassembly cannot be read: " + std::string(row.substr(0, 120)),
                   function_.name, "use the nvdisasm of CUDA 13");
  }
  Result<void> take_position(std::string_view row) {
    const std::optional<SourcePosition> position = position_of(row);
    if (!position) return {};
    if (fresh_) positions_.clear();
    fresh_ = false;
    positions_.push_back(*position);
    return {};
  }
  Result<void> take_instruction(std::string_view row) {
    const std::size_t end = row.find("*/");
    if (end == std::string_view::npos) return refuse(row);
    const std::optional<std::uint64_t> offset = hexadecimal(row.substr(2, end - 2));
    const std::size_t stop = row.rfind(';');
    if (!offset || stop == std::string_view::npos || *offset != next_offset()) return refuse(row);
    MachineInstruction i;
    i.offset = static_cast<std::uint32_t>(*offset);
    if (!read_instruction(stripped(row.substr(end + 2, stop - end - 2)), i)) return refuse(row);
    i.low = encoding(row.substr(stop));
    i.positions = positions_;
    fresh_ = true;
    function_.code.push_back(std::move(i));
    return {};
  }
  Result<void> take_second_half(std::string_view row) {
    if (!function_.code.empty()) function_.code.back().high = encoding(row);
    return {};
  }
  static std::uint64_t encoding(std::string_view row) {
    const std::size_t at = row.find("/* 0x");
    const std::size_t begin = at == std::string_view::npos ? row.find("/*0x") : at + 1;
    if (begin == std::string_view::npos) return 0;
    const std::string_view digits = row.substr(begin + 4, 16);
    return hexadecimal(digits.substr(0, digits.find_first_of(" *"))).value_or(0);
  }

  MachineFunction& function_;
  std::string section_;
  std::vector<SourcePosition> positions_;
  bool inside_ = false, found_ = false, fresh_ = true;
};

}  // namespace

Result<MachineFunction> read_machine_text(std::string_view text, const std::string& name) {
  MachineFunction function;
  function.name = name;
  Reader reader(function);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (Result<void> taken = reader.take(text.substr(0, end)); !taken)
      return tl::unexpected(taken.error());
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  if (reader.found() && !function.code.empty()) return function;
  return failure(ErrorKind::input, "the disassembly has no function " + name, name,
                 "choose a kernel of the file");
}

std::vector<int> live_registers(std::string_view text, const std::string& function) {
  std::vector<int> counts;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view row = stripped(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (is_section(row)) {
      inside = row.find(".text." + function + ",") != std::string_view::npos ||
               row.find(".text." + function + "\"") != std::string_view::npos;
    }
    // "/*00e0*/  @P0 EXIT ;   // |   31  |   1    |"
    const std::size_t table = row.find("// |");
    if (!inside || !row.starts_with("/*") || table == std::string_view::npos) continue;
    const std::string_view cell = row.substr(table + 4);
    counts.push_back(decimal(stripped(cell.substr(0, cell.find('|')))).value_or(0));
  }
  return counts;
}

}  // namespace warpscope
