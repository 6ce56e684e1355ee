// profiling/json_codec_trace.cpp: traces as JSON and back, thousands of requests in a megabyte.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "profiling/json_codec.h"
#include "profiling/json_fields.h"

// A request is [site, warp, order, mask, base, step] and, where it is of another block than
// scope.block, a seventh member, the block; a bulk copy has the block and then its bytes, sectors
// and lines. `order` counts from the request before it (of the same
// warp, else from 0); `mask` is a signed 32-bit number, −1 for all lanes. `base` is the address of
// the first active lane. `step` is a number, the bytes from each lane to the next, or a string: the
// differences from one active lane to the one before it, in base-64 digits as below, the first
// number being the bytes that all differences are multiples of.
//
// What a warp issued is a list of runs [first instruction, count, mask], or [instruction, 1, mask,
// line] where its line is not the one in `instruction_lines`; a warp that issued the same as an
// earlier one is that one's number.

namespace warpscope {
namespace {

using nlohmann::json;

// source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": a block
// has 1024 threads.
constexpr std::size_t kMostWarps = 32;
constexpr int kSpaces = 4, kAccessKinds = 8, kFaultKinds = 14, kElementTypes = 10;

// Integers only: a fraction or an exponent in their place is a wrong type.
std::int64_t integer(const json& value) { return value.get_ref<const json::number_integer_t&>(); }
std::uint64_t natural(const json& value) { return static_cast<std::uint64_t>(integer(value)); }
std::uint32_t mask_of(const json& value) { return static_cast<std::uint32_t>(natural(value)); }
std::int64_t signed_mask(std::uint32_t mask) { return static_cast<std::int32_t>(mask); }

// Base-64 digits of 5 bits, the sixth says that more follow; the first digit's lowest bit is the
// sign. source: the variable-length quantities of the Source Map specification, revision 3.
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append_quantity(std::string& text, std::uint64_t magnitude, bool negative) {
  std::uint64_t digit = (magnitude & 15U) << 1 | (negative ? 1U : 0U);
  magnitude >>= 4;
  while (magnitude != 0) {
    text += kDigits[digit | 32U];
    digit = magnitude & 31U;
    magnitude >>= 5;
  }
  text += kDigits[digit];
}

// The next quantity of `text` as the bits of a signed number; an end or a foreign letter gives 0.
std::uint64_t take_quantity(std::string_view& text) {
  std::uint64_t magnitude = 0;
  bool negative = false;
  int shift = 0;
  for (bool first = true, more = true; more && !text.empty(); first = false) {
    const std::size_t found = kDigits.find(text.front());
    text.remove_prefix(1);
    const std::uint64_t digit = found == std::string_view::npos ? 0 : found;
    more = (digit & 32U) != 0;
    if (first) {
      negative = (digit & 1U) != 0;
      magnitude = digit >> 1 & 15U;
      shift = 4;
    } else if (shift < 64) {
      magnitude |= (digit & 31U) << shift;
      shift += 5;
    }
  }
  return negative ? 0 - magnitude : magnitude;
}

struct Difference64 {
  std::uint64_t magnitude = 0;
  bool negative = false;
};

Difference64 difference_of(std::uint64_t later, std::uint64_t earlier) {
  const std::uint64_t bits = later - earlier;
  const bool negative = (bits >> 63) != 0;
  return {negative ? 0 - bits : bits, negative};
}

json encode_step(const WarpRequest& r) {
  std::vector<std::pair<int, std::uint64_t>> lanes;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if ((r.active >> lane & 1U) != 0)
      lanes.emplace_back(lane, r.addresses[static_cast<std::size_t>(lane)]);
  }
  if (lanes.size() < 2) return 0;
  const auto apart = static_cast<std::int64_t>(lanes[1].second - lanes[0].second);
  const std::int64_t stride = apart / (lanes[1].first - lanes[0].first);
  const bool constant = std::all_of(lanes.begin(), lanes.end(), [&](const auto& lane) {
    return lane.second ==
           lanes[0].second + static_cast<std::uint64_t>(stride) *
                                 static_cast<std::uint64_t>(lane.first - lanes[0].first);
  });
  if (constant) return stride;
  std::vector<Difference64> differences;
  std::uint64_t unit = 0;
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    differences.push_back(difference_of(lanes[i].second, lanes[i - 1].second));
    unit = std::gcd(unit, differences.back().magnitude);
  }
  std::string text;
  append_quantity(text, unit, false);
  for (const Difference64& d : differences) append_quantity(text, d.magnitude / unit, d.negative);
  return text;
}

void decode_step(const json& step, std::uint64_t base, WarpRequest& r) {
  std::uint64_t address = base, unit = 0;
  std::string_view text;
  int first = -1;
  if (step.is_string()) {
    text = step.get_ref<const std::string&>();
    unit = take_quantity(text);
  }
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if ((r.active >> lane & 1U) == 0) continue;
    if (first < 0) {
      first = lane;
    } else if (step.is_string()) {
      address += take_quantity(text) * unit;
    } else {
      address = base + natural(step) * static_cast<std::uint64_t>(lane - first);
    }
    r.addresses[static_cast<std::size_t>(lane)] = address;
  }
}

json encode_requests(const Trace& trace) {
  json list = json::array();
  const WarpRequest* before = nullptr;
  for (const WarpRequest& r : trace.requests) {
    const std::uint64_t since = before != nullptr && before->warp == r.warp ? before->order : 0;
    const std::size_t first = static_cast<std::size_t>(std::countr_zero(r.active)) % warp_lanes;
    json row = json::array({r.site, r.warp, static_cast<std::int64_t>(r.order - since),
                            signed_mask(r.active), r.active == 0 ? 0 : r.addresses[first],
                            encode_step(r)});
    const bool bulk = r.bulk != BulkCost{};
    if (bulk || r.block != trace.scope.block) row.push_back(r.block);
    if (bulk) {
      for (const std::int64_t figure : {r.bulk.bytes, r.bulk.sectors, r.bulk.lines})
        row.push_back(figure);
    }
    list.push_back(std::move(row));
    before = &r;
  }
  return list;
}

void decode_requests(const json& list, Trace& trace) {
  trace.requests.reserve(rows_of(list).size());
  for (const json& row : list) {
    WarpRequest r;
    r.site = static_cast<std::uint32_t>(natural(row.at(0)));
    r.warp = static_cast<std::uint32_t>(natural(row.at(1)));
    const bool follows = !trace.requests.empty() && trace.requests.back().warp == r.warp;
    r.order = natural(row.at(2)) + (follows ? trace.requests.back().order : 0);
    r.active = mask_of(row.at(3));
    decode_step(row.at(5), natural(row.at(4)), r);
    r.block = row.size() > 6 ? integer(row[6]) : trace.scope.block;
    if (row.size() > 9) r.bulk = {integer(row[7]), integer(row[8]), integer(row[9])};
    trace.requests.push_back(r);
  }
}

bool same(const std::vector<IssuedInstruction>& a, const std::vector<IssuedInstruction>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const IssuedInstruction& x, const IssuedInstruction& y) {
                      return x.instruction == y.instruction && x.active == y.active &&
                             x.line == y.line;
                    });
}

// Writes "issued" and "instruction_lines". Returns whether everything had room.
bool encode_issued(const Trace& trace, json& object) {
  std::map<std::uint32_t, int> lines;
  json warps = json::array();
  std::int64_t room = most_issued_instructions;
  bool whole = true;
  for (std::size_t w = 0; w < trace.issued.size(); ++w) {
    const auto& issued = trace.issued[w];
    const auto count = std::min<std::int64_t>(static_cast<std::int64_t>(issued.size()), room);
    whole = whole && count == static_cast<std::int64_t>(issued.size());
    room -= count;
    std::size_t twin = 0;
    while (twin < w && !same(trace.issued[twin], issued)) ++twin;
    if (twin < w && whole) {
      warps.push_back(twin);
      continue;
    }
    json runs = json::array();
    std::uint32_t first = 0, active = 0, length = 0;
    const auto end_run = [&] {
      if (length > 0) runs.push_back({first, length, signed_mask(active)});
      length = 0;
    };
    for (std::int64_t i = 0; i < count; ++i) {
      const IssuedInstruction& at = issued[static_cast<std::size_t>(i)];
      if (lines.try_emplace(at.instruction, at.line).first->second != at.line) {
        end_run();
        runs.push_back({at.instruction, 1, signed_mask(at.active), at.line});
        continue;
      }
      if (length == 0 || at.instruction != first + length || at.active != active) {
        end_run();
        first = at.instruction;
        active = at.active;
      }
      ++length;
    }
    end_run();
    warps.push_back(std::move(runs));
  }
  json pairs = json::array();
  for (const auto& [instruction, line] : lines) pairs.push_back({instruction, line});
  object["issued"] = std::move(warps);
  object["instruction_lines"] = std::move(pairs);
  return whole;
}

void decode_issued(const json& object, Trace& trace) {
  const auto warps = object.find("issued");
  if (warps == object.end()) return;
  std::map<std::uint32_t, int> lines;
  if (const auto pairs = object.find("instruction_lines"); pairs != object.end()) {
    for (const json& pair : *pairs)
      lines[static_cast<std::uint32_t>(natural(pair.at(0)))] = pair.at(1).get<int>();
  }
  std::int64_t room = most_issued_instructions;
  if (warps->size() > kMostWarps) throw std::length_error("a block has no so many warps");
  for (const json& warp : *warps) {
    std::vector<IssuedInstruction> issued;
    if (!warp.is_array()) {
      const std::uint64_t twin = natural(warp);
      if (twin < trace.issued.size() &&
          static_cast<std::int64_t>(trace.issued[twin].size()) <= room)
        issued = trace.issued[twin];
      room -= static_cast<std::int64_t>(issued.size());
    } else {
      for (const json& run : warp) {
        const auto first = static_cast<std::uint32_t>(natural(run.at(0)));
        const std::int64_t count = std::clamp<std::int64_t>(integer(run.at(1)), 0, room);
        room -= count;
        for (std::int64_t i = 0; i < count; ++i) {
          IssuedInstruction at{first + static_cast<std::uint32_t>(i), mask_of(run.at(2)), 0};
          if (run.size() > 3) {
            at.line = run[3].get<int>();
          } else if (const auto line = lines.find(at.instruction); line != lines.end()) {
            at.line = line->second;
          }
          issued.push_back(at);
        }
      }
    }
    trace.issued.push_back(std::move(issued));
  }
}

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
  site.space = enum_of<Space>(space, kSpaces, to_text);
  site.kind = enum_of<AccessKind>(kind, kAccessKinds, to_text);
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

json encode_dim3(const Dim3& d) { return json::array({d.x, d.y, d.z}); }

Dim3 decode_dim3(const json& row) {
  return {integer(row.at(0)), integer(row.at(1)), integer(row.at(2))};
}

json encode_fault(const Fault& fault) {
  json object = {{"kind", to_text(fault.kind)},
                 {"at", encode_position(fault.position)},
                 {"block", encode_dim3(fault.block)},
                 {"thread", encode_dim3(fault.thread)},
                 {"count", fault.count},
                 {"sentence", fault.sentence}};
  write(object, "buffer", fault.buffer);
  if (fault.index >= 0) object["index"] = fault.index;
  return object;
}

Fault decode_fault(const json& object) {
  Fault fault;
  std::string kind;
  read(object, "kind", kind);
  fault.kind = enum_of<FaultKind>(kind, kFaultKinds, to_text);
  read_position(object, fault.position);
  if (const auto block = object.find("block"); block != object.end())
    fault.block = decode_dim3(*block);
  if (const auto thread = object.find("thread"); thread != object.end())
    fault.thread = decode_dim3(*thread);
  read(object, "count", fault.count);
  read(object, "sentence", fault.sentence);
  read(object, "buffer", fault.buffer);
  read(object, "index", fault.index);
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
  buffer.type = enum_of<ElementType>(type, kElementTypes, to_text);
  if (const auto shape = object.find("shape"); shape != object.end()) {
    for (const json& extent : *shape) buffer.shape.push_back(integer(extent));
  }
  if (const auto address = object.find("address"); address != object.end())
    buffer.address = natural(*address);
  read(object, "bytes", buffer.bytes);
  return buffer;
}

template <typename Row>
json encode_list(const std::vector<Row>& rows, json (*encode_row)(const Row&)) {
  json list = json::array();
  for (const Row& row : rows) list.push_back(encode_row(row));
  return list;
}

template <typename Row>
void decode_list(const json& object, const char* name, std::vector<Row>& rows,
                 Row (*decode_row)(const json&)) {
  const auto list = object.find(name);
  if (list == object.end()) return;
  for (const json& row : rows_of(*list)) rows.push_back(decode_row(row));
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
  if (t.unique_load_sectors) object["unique_load_sectors"] = *t.unique_load_sectors;
  object["buffers"] = encode_list<TracedBuffer>(t.buffers, encode_buffer);
  object["sites"] = encode_list<AccessSite>(t.sites, encode_site);
  object["lines"] = encode_list<LineTotals>(t.lines, encode_line);
  if (!t.writers.empty()) object["writers"] = encode_list<WriterMap>(t.writers, encode_writers);
  object["requests"] = encode_requests(t);
  const bool whole = encode_issued(t, object);
  if (t.truncated || !whole) object["truncated"] = true;
  if (!t.faults.empty()) object["faults"] = encode_list<Fault>(t.faults, encode_fault);
  write(object, "compile_ms", std::optional<double>(t.compile_ms));
  write(object, "emulate_ms", std::optional<double>(t.emulate_ms));
  write(object, "source_hash", t.source_hash);
  write(object, "printed", t.printed);
  if (!t.stand_ins.empty()) object["stand_ins"] = t.stand_ins;
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
  read(object, "truncated", t.truncated);
  decode_list<Fault>(object, "faults", t.faults, decode_fault);
  read(object, "compile_ms", t.compile_ms);
  read(object, "emulate_ms", t.emulate_ms);
  read(object, "source_hash", t.source_hash);
  read(object, "printed", t.printed);
  if (const auto list = object.find("stand_ins"); list != object.end()) {
    for (const json& row : rows_of(*list)) t.stand_ins.push_back(row.get<std::string>());
  }
  decode_metrics(object, t.metrics);
}

}  // namespace warpscope
