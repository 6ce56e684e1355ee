// profiling/listings/listing.cpp: what a kernel was compiled to, PTX and machine code, line by line
// beside its source.
#include "profiling/listings/listing.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "profiling/listings/kernel_text.h"
#include "profiling/listings/source_name.h"

namespace warpscope {
namespace {

std::string_view stripped(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

// Tabs become blanks, so that columns of all rows stand under each other.
std::string shown(std::string_view line) {
  std::string text;
  for (const char c : line) text += c == '\t' ? ' ' : c;
  return text;
}

// "/*0180*/ @!P0 BRA …": nvdisasm leaves room for the longest predicate and more.
std::string shown_machine(std::string_view line) {
  const std::size_t end = line.find("*/");
  if (end == std::string_view::npos) return shown(line);
  const std::string_view code = stripped(line.substr(end + 2));
  return shown(line.substr(0, end + 2)) + (code.starts_with("@") ? " " : "       ") + shown(code);
}

// Reads words and numbers of one line, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  bool take(std::string_view word) {
    rest_ = stripped(rest_);
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<int> number() {
    rest_ = stripped(rest_);
    int value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (read.ec != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    return value;
  }
  std::optional<std::string_view> quoted() {
    rest_ = stripped(rest_);
    const std::size_t end = rest_.find('"', 1);
    if (!rest_.starts_with("\"") || end == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool skip_to(std::string_view word) {
    const std::size_t at = rest_.find(word);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + word.size());
    return true;
  }

 private:
  std::string_view rest_;
};

// The names that .file directives give to numbers. They stand at the end of what NVRTC writes.
std::map<int, std::string> files_of(const std::vector<std::string>& lines,
                                    std::span<const std::string> files) {
  std::map<int, std::string> names;
  for (const std::string& line : lines) {
    Words words(line);
    if (!words.take(".file")) continue;
    const std::optional<int> number = words.number();
    const std::optional<std::string_view> path = words.quoted();
    if (number && path) names[*number] = source_name(*path, files);
  }
  return names;
}

struct Location {
  int file = 0, line = 0, column = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): version 14 takes a comparison's 0 for a pointer
  auto operator<=>(const Location&) const = default;
};
std::optional<Location> location_of(Words& words) {
  const std::optional<int> file = words.number(), line = words.number(), column = words.number();
  if (!file || !line || !column) return std::nullopt;
  return Location{*file, *line, *column};
}

// Follows .loc directives. What is inlined at a place that was itself inlined stands further out:
// the place's own .loc came before.
class Locations {
 public:
  explicit Locations(std::map<int, std::string> names) : names_(std::move(names)) {}
  // Line 0 is the compiler's own: it leaves the place open.
  void read(Words words) {
    const std::optional<Location> here = location_of(words);
    if (!here) return;
    std::optional<Location> at;
    if (words.skip_to("inlined_at")) at = location_of(words);
    if (at) callers_[*here] = *at;
    if (!at) callers_.erase(*here);
    positions_.clear();
    std::optional<Location> next = here;
    constexpr std::size_t kMostDepth = 16;
    while (next && next->line > 0 && positions_.size() < kMostDepth) {
      const auto name = names_.find(next->file);
      positions_.push_back({name == names_.end() ? "" : name->second, next->line, next->column});
      const auto caller = callers_.find(*next);
      next = caller == callers_.end() ? std::nullopt : std::optional(caller->second);
    }
  }
  const std::vector<SourcePosition>& positions() const { return positions_; }

 private:
  std::map<int, std::string> names_;
  std::map<Location, Location> callers_;
  std::vector<SourcePosition> positions_;
};

// Whether the line declares the kernel: ".visible .entry name(".
bool declares(std::string_view line, std::string_view entry) {
  const std::size_t at = line.find(".entry");
  if (at == std::string_view::npos) return false;
  const std::string_view name = stripped(line.substr(at + 6));
  return name.starts_with(entry) &&
         (name.size() == entry.size() || name[entry.size()] == '(' || name[entry.size()] == ' ');
}

// How nvdisasm names the PTX that a cubin was made of.
constexpr std::string_view kEmbeddedPtx = ".nv_debug_ptx_txt";

bool is_ptx_instruction(std::string_view line) {
  return line.ends_with(";") && !line.starts_with(".") && !line.starts_with("//");
}

}  // namespace

std::vector<ListedRow> ptx_rows(std::string_view ptx, const std::string& entry,
                                std::span<const std::string> files) {
  const std::vector<std::string> lines = lines_of(ptx);
  Locations locations(files_of(lines, files));
  std::vector<ListedRow> rows;
  bool inside = false, body = false;
  // In a text of inline assembly LLVM counts lines of its own from its first instruction on.
  bool assembly = false, counted = false;
  int number = 0;
  for (const std::string& text : lines) {
    ++number;
    const std::string_view line = stripped(text);
    inside = inside || declares(line, entry);
    if (!inside || line.empty()) continue;
    if (line == "// begin inline asm") assembly = true;
    if (line == "// end inline asm") assembly = counted = false;
    Words words(line);
    if (words.take(".loc")) {
      if (!counted) locations.read(words);
      continue;
    }
    counted = counted || (assembly && is_ptx_instruction(line));
    ListedRow row{shown(text), body && is_ptx_instruction(line), {}, number};
    if (row.instruction) row.positions = locations.positions();
    rows.push_back(std::move(row));
    if (line == "{") body = true;
    // Blocks within are indented; the kernel's own brace stands at the left.
    if (body && text.starts_with("}")) break;
  }
  return rows;
}

std::vector<ListedRow> machine_rows(std::string_view text, const std::string& entry,
                                    std::span<const std::string> files) {
  std::vector<ListedRow> rows;
  const std::string section = ".text." + entry + ":";
  std::vector<SourcePosition> positions;
  int ptx_line = 0;
  bool inside = false, follows = false;
  for (const std::string& full : lines_of(text)) {
    const std::string_view line = stripped(full);
    if (line.starts_with(".section") || line.starts_with("//---")) inside = false;
    if (line == section) {
      inside = true;
      positions.clear();
      ptx_line = 0;
      continue;
    }
    if (!inside || line.empty()) continue;
    Words words(line);
    if (words.take("//##")) {
      const auto path = words.take("File") ? words.quoted() : std::nullopt;
      const auto number = path && words.take(", line") ? words.number() : std::nullopt;
      if (path == kEmbeddedPtx) {
        ptx_line = number.value_or(0);
        continue;
      }
      // A chain of calls goes over lines, the innermost first; each line also names the next.
      if (!follows) positions.clear();
      follows = true;
      if (number) positions.push_back({source_name(*path, files), *number, 0});
      continue;
    }
    follows = false;
    const bool instruction = line.starts_with("/*") && line.ends_with(";");
    rows.push_back({instruction ? shown_machine(line) : shown(line), instruction,
                    instruction ? positions : decltype(positions){}, instruction ? ptx_line : 0});
  }
  return rows;
}

bool comes_from(const ListedRow& row, std::string_view file, int line) {
  return std::any_of(row.positions.begin(), row.positions.end(),
                     [&](const SourcePosition& p) { return p.line == line && p.file == file; });
}

int line_in(const ListedRow& row, std::string_view file) {
  const auto found = std::find_if(row.positions.begin(), row.positions.end(),
                                  [&](const SourcePosition& p) { return p.file == file; });
  return found == row.positions.end() ? 0 : found->line;
}

RowsOfLine rows_of_line(const std::vector<ListedRow>& rows, std::string_view file, int line) {
  RowsOfLine found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!comes_from(rows[i], file, line)) continue;
    if (found.count++ == 0) found.first = i;
  }
  return found;
}

}  // namespace warpscope
