// profiling/messages/json_codec_trace.cpp: traces as JSON and back.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "profiling/messages/json_codec.h"
#include "profiling/messages/json_fields.h"
#include "profiling/messages/json_hang.h"
#include "profiling/messages/json_requests.h"

namespace warpscope {
namespace {

using nlohmann::json;

struct TotalField {
  const char* name;
  std::int64_t AccessTotals::*member;
};
constexpr TotalField kTotalFields[] = {{"requests", &AccessTotals::requests},
                                       {"lanes", &AccessTotals::lanes},
                                       {"lane_bytes", &AccessTotals::lane_bytes},
                                       {"unique_bytes", &AccessTotals::unique_bytes},
                                       {"sectors", &AccessTotals::sectors},
                                       {"ideal_sectors", &AccessTotals::ideal_sectors},
                                       {"lines", &AccessTotals::lines},
                                       {"wavefronts", &AccessTotals::wavefronts},
                                       {"ideal_wavefronts", &AccessTotals::ideal_wavefronts},
                                       {"worst_ways", &AccessTotals::worst_ways}};

void write_totals(json& object, const char* name, const AccessTotals& totals) {
  json fields = json::object();
  for (const TotalField& field : kTotalFields) {
    if (totals.*field.member != 0) fields[field.name] = totals.*field.member;
  }
  if (!fields.empty()) object[name] = std::move(fields);
}

void read_totals(const json& object, const char* name, AccessTotals& totals) {
  const auto found = object.find(name);
  if (found == object.end()) return;
  for (const TotalField& field : kTotalFields) read(*found, field.name, totals.*field.member);
}

void read_position(const json& object, SourcePosition& position) {
  if (const auto found = object.find("at"); found != object.end())
    position = decode_position(*found);
}

json encode_site(const AccessSite& site) {
  json object = {{"instruction", site.instruction},
                 {"space", to_text(site.space)},
                 {"kind", to_text(site.kind)},
                 {"width", site.width_bytes},
                 {"at", encode_position(site.position)}};
  for (const SourcePosition& p : site.inlined_at)
    object["inlined_at"].push_back(encode_position(p));
  write(object, "text", site.text);
  write(object, "buffer", site.buffer);
  if (site.merged) object["merged"] = true;
  write_totals(object, "totals", site.totals);
  return object;
}

AccessSite decode_site(const json& object) {
  AccessSite site;
  std::string space, kind;
  read(object, "instruction", site.instruction);
  read(object, "space", space);
  read(object, "kind", kind);
  read(object, "width", site.width_bytes);
  read_position(object, site.position);
  if (const auto list = object.find("inlined_at"); list != object.end()) {
    for (const json& row : rows_of(*list)) site.inlined_at.push_back(decode_position(row));
  }
  read(object, "text", site.text);
  read(object, "buffer", site.buffer);
  read(object, "merged", site.merged);
  read_totals(object, "totals", site.totals);
  site.space = enum_of<Space>(space, to_text);
  site.kind = enum_of<AccessKind>(kind, to_text);
  return site;
}

json encode_line(const LineTotals& line) {
  json object = {{"at", encode_position(line.position)},
                 {"instructions", line.instructions},
                 {"threads", line.threads},
                 {"sites", line.sites}};
  write_totals(object, "global", line.global);
  write_totals(object, "shared", line.shared);
  write_totals(object, "local", line.local);
  return object;
}

LineTotals decode_line(const json& object) {
  LineTotals line;
  read_position(object, line.position);
  read(object, "instructions", line.instructions);
  read(object, "threads", line.threads);
  read(object, "sites", line.sites);
  read_totals(object, "global", line.global);
  read_totals(object, "shared", line.shared);
  read_totals(object, "local", line.local);
  return line;
}

Dim3 decode_dim3(const json& row) {
  return {integer(row.at(0)), integer(row.at(1)), integer(row.at(2))};
}

json encode_fault(const Fault& fault) {
  json object = {{"kind", to_text(fault.kind)},
                 {"at", encode_position(fault.position)},
                 {"block", encode_dim(fault.block)},
                 {"thread", encode_dim(fault.thread)},
                 {"count", fault.count},
                 {"sentence", fault.sentence}};
  write(object, "buffer", fault.buffer);
  if (fault.index >= 0) object["index"] = fault.index;
  if (fault.needed > 0) object["needed"] = fault.needed;
  if (fault.guessed_size) object["guessed_size"] = true;
  if (fault.guessed_content) object["guessed_content"] = true;
  return object;
}

Fault decode_fault(const json& object) {
  Fault fault;
  std::string kind;
  read(object, "kind", kind);
  fault.kind = kind == "budget" ? FaultKind::budget  // as older sessions name it
                                : enum_of<FaultKind>(kind, to_text);
  read_position(object, fault.position);
  if (const auto block = object.find("block"); block != object.end())
    fault.block = decode_dim3(*block);
  if (const auto thread = object.find("thread"); thread != object.end())
    fault.thread = decode_dim3(*thread);
  read(object, "count", fault.count);
  read(object, "sentence", fault.sentence);
  read(object, "buffer", fault.buffer);
  read(object, "index", fault.index);
  read(object, "needed", fault.needed);
  read(object, "guessed_size", fault.guessed_size);
  read(object, "guessed_content", fault.guessed_content);
  return fault;
}

// Blocks as pairs of how many entries in a row and their block.
json encode_writers(const WriterMap& map) {
  json runs = json::array();
  for (std::size_t begin = 0; begin < map.blocks.size();) {
    std::size_t end = begin;
    while (end < map.blocks.size() && map.blocks[end] == map.blocks[begin]) ++end;
    runs.push_back(end - begin);
    runs.push_back(map.blocks[begin]);
    begin = end;
  }
  return {{"buffer", map.buffer}, {"elements", map.elements}, {"runs", std::move(runs)}};
}

// `room` is how many entries all maps of a trace may still have.
WriterMap decode_writers(const json& object, std::int64_t& room) {
  WriterMap map;
  read(object, "buffer", map.buffer);
  read(object, "elements", map.elements);
  std::vector<std::int64_t> runs;
  read(object, "runs", runs);
  for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
    const std::int64_t count = std::clamp<std::int64_t>(runs[i], 0, room);
    room -= count;
    map.blocks.insert(map.blocks.end(), static_cast<std::size_t>(count), runs[i + 1]);
  }
  map.elements = std::max<std::int64_t>(1, map.elements);
  return map;
}

json encode_buffer(const TracedBuffer& buffer) {
  return {{"name", buffer.name},   {"symbol", buffer.symbol},   {"type", to_text(buffer.type)},
          {"shape", buffer.shape}, {"address", buffer.address}, {"bytes", buffer.bytes}};
}

TracedBuffer decode_buffer(const json& object) {
  TracedBuffer buffer;
  std::string type = to_text(buffer.type);
  read(object, "name", buffer.name);
  read(object, "symbol", buffer.symbol);
  read(object, "type", type);
  buffer.type = enum_of<ElementType>(type, to_text);
  if (const auto shape = object.find("shape"); shape != object.end()) {
    for (const json& extent : *shape) buffer.shape.push_back(integer(extent));
  }
  if (const auto address = object.find("address"); address != object.end())
    buffer.address = natural(*address);
  read(object, "bytes", buffer.bytes);
  return buffer;
}

json encode_traced_output(const TracedOutput& output) {
  json object = {{"name", output.name},
                 {"printed", output.printed},
                 {"sentence", output.sentence},
                 {"wrong", output.wrong}};
  write(object, "hash", output.hash);
  write(object, "no_hash", output.no_hash);
  return object;
}

TracedOutput decode_traced_output(const json& object) {
  TracedOutput output;
  read(object, "name", output.name);
  read(object, "printed", output.printed);
  read(object, "sentence", output.sentence);
  read(object, "wrong", output.wrong);
  read(object, "hash", output.hash);
  read(object, "no_hash", output.no_hash);
  return output;
}

json encode_spilled_line(const SpilledRegisters::Line& line) {
  return {{"at", encode_position(line.position)},
          {"store_bytes", line.store_bytes},
          {"load_bytes", line.load_bytes}};
}

SpilledRegisters::Line decode_spilled_line(const json& object) {
  SpilledRegisters::Line line;
  read_position(object, line.position);
  read(object, "store_bytes", line.store_bytes);
  read(object, "load_bytes", line.load_bytes);
  return line;
}

json encode_spills(const SpilledRegisters& spills) {
  return {{"registers_per_thread", spills.registers_per_thread},
          {"store_bytes", spills.store_bytes},
          {"load_bytes", spills.load_bytes},
          {"lines", encode_list<SpilledRegisters::Line>(spills.lines, encode_spilled_line)}};
}

SpilledRegisters decode_spills(const json& object) {
  SpilledRegisters spills;
  read(object, "registers_per_thread", spills.registers_per_thread);
  read(object, "store_bytes", spills.store_bytes);
  read(object, "load_bytes", spills.load_bytes);
  decode_list<SpilledRegisters::Line>(object, "lines", spills.lines, decode_spilled_line);
  return spills;
}

// What a job of dependencies asked for: the cycles of all rows; and a list per row that needs
// others or leads elsewhere, which begins with the row's place. A need is a row, a kind and a
// scoreboard.
void encode_dependencies(const MachineFigures& code, json& object) {
  if (code.rows.empty() || code.rows.front().issue_cycles < 0) return;
  json cycles = json::array(), needs = json::array(), next = json::array();
  for (std::size_t k = 0; k < code.rows.size(); ++k) {
    const MachineRow& row = code.rows[k];
    cycles.push_back(row.issue_cycles);
    if (!row.needs.empty()) {
      json& cells = needs.emplace_back(json::array({k}));
      for (const MachineNeed& need : row.needs)
        cells.insert(cells.end(), {need.row, static_cast<int>(need.kind), need.scoreboard});
    }
    if (!row.next.empty()) {
      json& cells = next.emplace_back(json::array({k}));
      for (const std::uint32_t to : row.next) cells.push_back(to);
    }
  }
  object["issue_cycles"] = std::move(cycles);
  object["needs"] = std::move(needs);
  object["next"] = std::move(next);
}

// Those of a later version are an order.
NeedKind need_kind(std::int64_t number) {
  const auto last = static_cast<std::int64_t>(NeedKind::asynchronous);
  return number < 0 || number > last ? NeedKind::order : static_cast<NeedKind>(number);
}

void decode_dependencies(const json& object, MachineFigures& code) {
  const auto each = [](const json& parent, const char* name, const auto& take) {
    if (const auto list = parent.find(name); list != parent.end()) {
      for (const json& cells : rows_of(*list)) take(cells);
    }
  };
  const auto place = [&](const json& value) {
    const std::uint64_t row = natural(value);
    if (row >= code.rows.size()) throw std::length_error("a need of no instruction");
    return static_cast<std::uint32_t>(row);
  };
  std::size_t at = 0;
  each(object, "issue_cycles", [&](const json& value) {
    if (at < code.rows.size()) code.rows[at++].issue_cycles = static_cast<int>(integer(value));
  });
  each(object, "needs", [&](const json& cells) {
    MachineRow& row = code.rows[place(cells.at(0))];
    constexpr std::size_t kCells = 3;
    for (std::size_t k = 1; k + kCells <= cells.size(); k += kCells)
      row.needs.push_back({place(cells[k]), need_kind(integer(cells[k + 1])),
                           static_cast<std::int8_t>(integer(cells[k + 2]))});
  });
  each(object, "next", [&](const json& cells) {
    MachineRow& row = code.rows[place(cells.at(0))];
    for (std::size_t k = 1; k < cells.size(); ++k) row.next.push_back(place(cells[k]));
  });
}

// One list per row: text, file (a place in `files`), line, executed, threads, general registers in
// use, spill; where they are known also the other registers in use and the names of all.
json encode_machine_code(const MachineFigures& code) {
  json files = json::array(), rows = json::array();
  std::map<std::string, std::size_t> known;
  for (const MachineRow& row : code.rows) {
    const auto [place, added] = known.try_emplace(row.position.file, known.size());
    if (added) files.push_back(row.position.file);
    json& cells =
        rows.emplace_back(json::array({row.text, place->second, row.position.line, row.executed,
                                       row.threads, row.live.general, row.spill}));
    if (row.live != LiveRegisters{})
      cells.insert(cells.end(), {row.live.uniform, row.live.predicates, row.live.uniform_predicates,
                                 row.live.names});
  }
  json object = {{"compute_capability", code.compute_capability},
                 {"registers_per_thread", code.registers_per_thread},
                 {"files", std::move(files)},
                 {"rows", std::move(rows)}};
  if (!code.unknown.empty()) object["unknown"] = code.unknown;
  encode_dependencies(code, object);
  return object;
}

MachineFigures decode_figures(const json& object) {
  MachineFigures code;
  std::vector<std::string> files;
  read(object, "compute_capability", code.compute_capability);
  read(object, "registers_per_thread", code.registers_per_thread);
  read(object, "files", files);
  if (const auto rows = object.find("rows"); rows != object.end()) {
    for (const json& cells : rows_of(*rows)) {
      MachineRow& row = code.rows.emplace_back();
      row.text = cells.at(0).get<std::string>();
      const std::uint64_t file = natural(cells.at(1));
      if (file < files.size()) row.position.file = files[file];
      row.position.line = static_cast<int>(integer(cells.at(2)));
      row.executed = integer(cells.at(3));
      row.threads = integer(cells.at(4));
      row.live.general = static_cast<int>(integer(cells.at(5)));
      row.spill = cells.at(6).get<bool>();
      if (cells.size() < 11) continue;
      row.live.uniform = static_cast<int>(integer(cells.at(7)));
      row.live.predicates = static_cast<int>(integer(cells.at(8)));
      row.live.uniform_predicates = static_cast<int>(integer(cells.at(9)));
      row.live.names = cells.at(10).get<std::string>();
    }
  }
  read(object, "unknown", code.unknown);
  decode_dependencies(object, code);
  return code;
}

void decode_machine_code(const json& object, Trace& t) {
  if (const auto code = object.find("machine_code"); code != object.end())
    t.machine_code = decode_figures(*code);
  read(object, "no_machine_code", t.no_machine_code);
}

// Faults without the note that the run reached its limit, which is not a fault.
std::vector<Fault> real_faults(const Trace& t) {
  std::vector<Fault> faults;
  for (const Fault& one : t.faults) {
    if (one.kind != FaultKind::budget) faults.push_back(one);
  }
  return faults;
}

}  // namespace

json encode(const Trace& t) {
  json object = {
      {"job", t.job},
      {"scene", t.scene},
      {"variant", t.variant},
      {"key", t.key},
      {"step", t.step},
      {"source", t.source},
      {"entry", t.entry},
      {"launch", encode_launch(t.launch)},
      {"scope", {{"grid", t.scope.grid}, {"block", t.scope.block}, {"warp", t.scope.warp}}},
      {"warp_instructions", t.warp_instructions},
      {"thread_instructions", t.thread_instructions},
      {"warps", t.warps}};
  if (t.sample) {
    json sample = {
        {"blocks", t.sample->blocks}, {"strata", t.sample->strata}, {"spreads", t.sample->spreads}};
    write(sample, "unfit", t.sample->unfit);
    object["sample"] = std::move(sample);
  }
  if (t.unique_load_sectors) object["unique_load_sectors"] = *t.unique_load_sectors;
  object["buffers"] = encode_list<TracedBuffer>(t.buffers, encode_buffer);
  object["sites"] = encode_list<AccessSite>(t.sites, encode_site);
  object["lines"] = encode_list<LineTotals>(t.lines, encode_line);
  if (!t.writers.empty()) object["writers"] = encode_list<WriterMap>(t.writers, encode_writers);
  object["requests"] = encode_requests(t);
  const bool whole = encode_issued(t, object);
  encode_barrier_events(t, object);
  if (t.truncated || !whole) object["truncated"] = true;
  if (has_faults(t)) object["faults"] = encode_list<Fault>(real_faults(t), encode_fault);
  if (const Fault* stopped = stop_at_limit(t)) object["stopped"] = encode_fault(*stopped);
  if (t.hang) object["hang"] = encode_hang(*t.hang);
  write(object, "compile_ms", std::optional<double>(t.compile_ms));
  write(object, "emulate_ms", std::optional<double>(t.emulate_ms));
  write(object, "source_hash", t.source_hash);
  write(object, "compiler", t.compiler);
  write(object, "printed", t.printed);
  if (!t.stand_ins.empty()) object["stand_ins"] = t.stand_ins;
  if (!t.outputs.empty())
    object["outputs"] = encode_list<TracedOutput>(t.outputs, encode_traced_output);
  if (t.spills) object["spills"] = encode_spills(*t.spills);
  if (t.machine_code) object["machine_code"] = encode_machine_code(*t.machine_code);
  write(object, "no_machine_code", t.no_machine_code);
  object["metrics"] = encode_metrics(t.metrics);
  return object;
}

void decode(const json& object, Trace& t) {
  read(object, "job", t.job);
  read(object, "scene", t.scene);
  read(object, "variant", t.variant);
  read(object, "key", t.key);
  read(object, "step", t.step);
  read(object, "source", t.source);
  read(object, "entry", t.entry);
  decode_launch(object, t.launch);
  if (const auto scope = object.find("scope"); scope != object.end()) {
    read(*scope, "grid", t.scope.grid);
    read(*scope, "block", t.scope.block);
    read(*scope, "warp", t.scope.warp);
  }
  if (const auto sample = object.find("sample"); sample != object.end()) {
    t.sample.emplace();
    read(*sample, "blocks", t.sample->blocks);
    read(*sample, "strata", t.sample->strata);
    if (sample->contains("spreads")) rows_of(sample->at("spreads"));
    read(*sample, "spreads", t.sample->spreads);
    read(*sample, "unfit", t.sample->unfit);
  }
  read(object, "warp_instructions", t.warp_instructions);
  read(object, "thread_instructions", t.thread_instructions);
  read(object, "warps", t.warps);
  if (object.contains("unique_load_sectors"))
    read(object, "unique_load_sectors", t.unique_load_sectors.emplace());
  decode_list<TracedBuffer>(object, "buffers", t.buffers, decode_buffer);
  decode_list<AccessSite>(object, "sites", t.sites, decode_site);
  decode_list<LineTotals>(object, "lines", t.lines, decode_line);
  if (const auto writers = object.find("writers"); writers != object.end()) {
    constexpr std::int64_t kMostEntries = 1
                                          << 20;  // of all buffers; the emulator keeps 8192 of one
    std::int64_t room = kMostEntries;
    for (const json& row : rows_of(*writers)) t.writers.push_back(decode_writers(row, room));
  }
  if (const auto requests = object.find("requests"); requests != object.end())
    decode_requests(*requests, t);
  decode_issued(object, t);
  decode_barrier_events(object, t);
  read(object, "truncated", t.truncated);
  decode_list<Fault>(object, "faults", t.faults, decode_fault);
  if (const auto stopped = object.find("stopped"); stopped != object.end())
    t.faults.push_back(decode_fault(*stopped));
  if (const auto hang = object.find("hang"); hang != object.end()) t.hang = decode_hang(*hang);
  read(object, "compile_ms", t.compile_ms);
  read(object, "emulate_ms", t.emulate_ms);
  read(object, "source_hash", t.source_hash);
  read(object, "compiler", t.compiler);
  read(object, "printed", t.printed);
  if (const auto list = object.find("stand_ins"); list != object.end()) {
    for (const json& row : rows_of(*list)) t.stand_ins.push_back(row.get<std::string>());
  }
  decode_list<TracedOutput>(object, "outputs", t.outputs, decode_traced_output);
  if (const auto spills = object.find("spills"); spills != object.end())
    t.spills = decode_spills(*spills);
  decode_machine_code(object, t);
  decode_metrics(object, t.metrics);
}

}  // namespace warpscope
