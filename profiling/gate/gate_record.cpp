// profiling/gate/gate_record.cpp: the recorded part of a gate's file, written and read.
#include "profiling/gate/gate_record.h"

#include <algorithm>
#include <utility>

#include "scenes/base/source.h"
#include "scenes/folder/description_node.h"

namespace warpscope {
namespace {

constexpr GateCountRow kRows[] = {
    {"faults", "faults", false, true},
    {"instructions", "warp instructions", false, true},
    {"global_requests", "requests to global memory", false, true},
    {"global_sectors", "sectors of global memory", false, true},
    {"shared_requests", "requests to shared memory", false, true},
    {"shared_wavefronts", "wavefronts of shared memory", false, true},
    {"local_requests", "requests to local memory", false, true},
    {"local_sectors", "sectors of local memory", false, true},
    {"registers", "registers per thread"},
    {"spill_store_bytes", "bytes of spilled registers that a thread stores"},
    {"spill_load_bytes", "bytes of spilled registers that a thread loads"},
    {"local_bytes", "bytes of local memory per thread"},
    {"shared_bytes", "bytes of shared memory per block"},
    {"resident_warps", "resident warps per multiprocessor (occupancy)", true},
};

constexpr std::string_view kMark =
    "# ---- recorded by `warpscope ci --update`: everything below this line is written anew ----";
constexpr const char* kRemedy = "run `warpscope ci --update`, look at what changed, and commit it";

std::string toml_text(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') made += '\\';
    made += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return made + "\"";
}

std::string text_of(const GateLine& line) {
  std::string text = "  { file = " + toml_text(line.file) + ", text = " + toml_text(line.text);
  for (const GateCountRow& row : kRows) {
    const auto found = line.counts.find(row.id);
    if (found != line.counts.end())
      text += std::string(", ") + row.id + " = " + std::to_string(found->second);
  }
  return text + " },\n";
}

std::string text_of(const GateRecord& record) {
  std::string text = "\n[[sm_" + std::to_string(record.architecture) + "]]\n";
  text += "kernel = " + toml_text(record.kernel) + "\n";
  if (!record.step.empty()) text += "step = " + toml_text(record.step) + "\n";
  for (const GateCountRow& row : kRows) {
    const auto found = record.counts.find(row.id);
    if (found != record.counts.end())
      text += std::string(row.id) + " = " + std::to_string(found->second) + "\n";
  }
  if (!record.outputs.empty()) {
    text += "outputs = [\n";
    for (const auto& [name, output] : record.outputs) {
      text += "  { name = " + toml_text(name) +
              (output.hash.empty() ? ", no_hash = " + toml_text(output.no_hash)
                                   : ", hash = " + toml_text(output.hash)) +
              " },\n";
    }
    text += "]\n";
  }
  if (record.lines.empty()) return text;
  text += "lines = [\n";
  for (const GateLine& line : record.lines) text += text_of(line);
  return text + "]\n";
}

std::string texts_of(const std::vector<GateRecord>& records) {
  std::string text;
  for (const GateRecord& record : records) text += text_of(record);
  return text;
}

std::string text_of(const Node& table, std::string_view key) {
  const Node* found = table.find(key);
  return found != nullptr && found->kind == Node::Kind::text ? found->text : "";
}

GateCounts counts_of(const Node& table) {
  GateCounts counts;
  for (const GateCountRow& row : kRows) {
    const Node* found = table.find(row.id);
    if (found != nullptr && found->kind == Node::Kind::whole) counts[row.id] = found->whole;
  }
  return counts;
}

GateRecord record_of(const Node& table, int architecture) {
  GateRecord record;
  record.architecture = architecture;
  record.kernel = text_of(table, "kernel");
  record.step = text_of(table, "step");
  record.counts = counts_of(table);
  if (const Node* outputs = table.find("outputs")) {
    for (const Node& output : outputs->items)
      record.outputs[text_of(output, "name")] = {text_of(output, "hash"),
                                                 text_of(output, "no_hash")};
  }
  if (const Node* lines = table.find("lines")) {
    for (const Node& line : lines->items)
      record.lines.push_back({text_of(line, "file"), text_of(line, "text"), 0, counts_of(line)});
  }
  return record;
}

// Where the marking line begins; npos: there is none.
std::size_t mark_in(std::string_view text) {
  if (text.starts_with(kMark)) return 0;
  const std::size_t found = text.find("\n" + std::string(kMark));
  return found == std::string_view::npos ? found : found + 1;
}

constexpr std::string_view kPrefix = "sm_";

// The head, then each record. A line break is in no text of a record: toml_text leaves none.
std::vector<std::string_view> separate_records(std::string_view recorded) {
  const std::string begin = "\n[[" + std::string(kPrefix);
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  while (true) {
    const std::size_t next = recorded.find(begin, from + 1);
    parts.push_back(recorded.substr(from, next == std::string_view::npos ? next : next - from));
    if (next == std::string_view::npos) return parts;
    from = next;
  }
}

tl::unexpected<Error> torn(const std::string& file) {
  return failure(ErrorKind::input, "the recorded part is torn or was edited", file, kRemedy);
}

}  // namespace

std::span<const GateCountRow> gate_counts() { return kRows; }

const GateCountRow* find_gate_count(std::string_view id) {
  const auto found = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&](const auto& row) { return row.id == id; });
  return found == std::end(kRows) ? nullptr : found;
}

std::string gate_count_names() {
  std::string names;
  for (const GateCountRow& row : kRows) names += (names.empty() ? "" : ", ") + std::string(row.id);
  return names;
}

std::string name_of(const GateRecord& record) {
  return record.kernel + (record.step.empty() ? "" : ", step " + record.step);
}

std::string_view own_part(std::string_view text) { return text.substr(0, mark_in(text)); }

Result<GateRecords> parse_recorded(std::string_view text, const std::string& file) {
  const std::size_t mark = mark_in(text);
  if (mark == std::string_view::npos)
    return failure(ErrorKind::input, "nothing is recorded in the file", file,
                   "record what the kernels do now with `warpscope ci --update`, and commit it");
  const std::string_view recorded = text.substr(mark);
  // A description has a limit of length, so each record is read by itself.
  const std::vector<std::string_view> parts = separate_records(recorded);
  const Result<Node> root = parse_description(parts.front(), file);
  if (!root) return torn(file);
  const Node* head = root->find("recorded");
  const Node* version = head == nullptr ? nullptr : head->find("version");
  if (version == nullptr || version->kind != Node::Kind::whole) return torn(file);
  if (version->whole != kGateVersion)
    return failure(ErrorKind::input,
                   "the recorded part is of version " + std::to_string(version->whole) +
                       ", and this program reads version " + std::to_string(kGateVersion),
                   file, kRemedy);
  GateRecords records;
  records.toolkit = text_of(*head, "toolkit");
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Result<Node> part = parse_description(parts[i], file);
    if (!part) return torn(file);
    for (const Node& entry : part->items) {
      const int architecture = std::atoi(entry.key.c_str() + kPrefix.size());
      for (const Node& table : entry.items)
        records.records.push_back(record_of(table, architecture));
    }
  }
  // What was read and is written again has the hash that it had, unless something is missing.
  if (text_of(*head, "hash") != hash_of(records.toolkit + texts_of(records.records)))
    return torn(file);
  return records;
}

std::string with_recorded(std::string_view text, const GateRecords& records) {
  std::string made(own_part(text));
  if (!made.empty() && made.back() != '\n') made += '\n';
  GateRecords ordered = records;
  std::stable_sort(
      ordered.records.begin(), ordered.records.end(),
      [](const GateRecord& a, const GateRecord& b) { return a.architecture > b.architecture; });
  const std::string texts = texts_of(ordered.records);
  made += std::string(kMark) + "\n[recorded]\nversion = " + std::to_string(kGateVersion) +
          "\ntoolkit = " + toml_text(records.toolkit) +
          "\nhash = " + toml_text(hash_of(records.toolkit + texts)) + "\n";
  return made + texts;
}

}  // namespace warpscope
