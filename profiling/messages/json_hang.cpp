// profiling/messages/json_hang.cpp: the story of a hang and events at barriers, as JSON and back.
#include "profiling/messages/json_hang.h"

#include <nlohmann/json.hpp>

#include "profiling/messages/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

SourcePosition position_at(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? SourcePosition{} : decode_position(*found);
}

void write_number(json& object, const char* name, std::int64_t value, std::int64_t usual) {
  if (value != usual) object[name] = value;
}

std::vector<int> numbers_at(const json& object, const char* name) {
  std::vector<int> numbers;
  const auto found = object.find(name);
  if (found == object.end()) return numbers;
  for (const json& row : rows_of(*found)) numbers.push_back(static_cast<int>(integer(row)));
  return numbers;
}

json encode_absent(const AbsentWarps& a) {
  json object = {{"block", a.block}, {"warps", a.warps}, {"at", encode_position(a.position)}};
  write_number(object, "lanes", static_cast<std::int32_t>(a.lanes), 0);
  if (a.ended) object["ended"] = true;
  write_number(object, "wait", a.wait, -1);
  return object;
}

AbsentWarps decode_absent(const json& object) {
  AbsentWarps a;
  std::int64_t lanes = 0;
  read(object, "block", a.block);
  a.warps = numbers_at(object, "warps");
  read(object, "lanes", lanes);
  a.lanes = static_cast<std::uint32_t>(lanes);
  read(object, "ended", a.ended);
  a.position = position_at(object, "at");
  read(object, "wait", a.wait);
  return a;
}

json encode_store(const PossibleStore& s) {
  json object = {{"at", encode_position(s.position)},
                 {"operation", s.operation},
                 {"executed", s.executed},
                 {"block", s.block}};
  write_number(object, "warp", s.warp, -1);
  return object;
}

PossibleStore decode_store(const json& object) {
  PossibleStore s;
  s.position = position_at(object, "at");
  read(object, "operation", s.operation);
  read(object, "executed", s.executed);
  read(object, "block", s.block);
  read(object, "warp", s.warp);
  return s;
}

json encode_wait(const WaitingWarps& w) {
  json object = {{"kind", to_text(w.kind)},
                 {"block", w.block},
                 {"warps", w.warps},
                 {"threads", w.threads},
                 {"at", encode_position(w.position)},
                 {"operation", w.operation},
                 {"sentence", w.sentence}};
  write(object, "object", w.object);
  write_number(object, "id", w.id, -1);
  write_number(object, "expected", w.expected, 0);
  write_number(object, "arrived", w.arrived, 0);
  if (w.counted) object["counted"] = true;
  write_number(object, "phase", w.phase, 0);
  write_number(object, "parity", w.parity, -1);
  write_number(object, "bytes", w.bytes, 0);
  if (!w.came.empty()) object["came"] = w.came;
  if (w.made_at.line != 0) object["made_at"] = encode_position(w.made_at);
  if (w.expected_at.line != 0) object["expected_at"] = encode_position(w.expected_at);
  write(object, "buffer", w.buffer);
  write_number(object, "index", w.index, -1);
  write(object, "value", w.value);
  write(object, "writer", w.writer);
  if (!w.stores.empty()) object["stores"] = encode_list<PossibleStore>(w.stores, encode_store);
  if (!w.absent.empty()) object["absent"] = encode_list<AbsentWarps>(w.absent, encode_absent);
  return object;
}

WaitingWarps decode_wait(const json& object) {
  WaitingWarps w;
  std::string kind;
  read(object, "kind", kind);
  w.kind = enum_of<WaitKind>(kind, to_text);
  read(object, "block", w.block);
  w.warps = numbers_at(object, "warps");
  read(object, "threads", w.threads);
  w.position = position_at(object, "at");
  read(object, "operation", w.operation);
  read(object, "object", w.object);
  read(object, "id", w.id);
  read(object, "expected", w.expected);
  read(object, "arrived", w.arrived);
  read(object, "counted", w.counted);
  read(object, "phase", w.phase);
  read(object, "parity", w.parity);
  read(object, "bytes", w.bytes);
  w.came = numbers_at(object, "came");
  w.made_at = position_at(object, "made_at");
  w.expected_at = position_at(object, "expected_at");
  read(object, "buffer", w.buffer);
  read(object, "index", w.index);
  read(object, "value", w.value);
  read(object, "writer", w.writer);
  decode_list<PossibleStore>(object, "stores", w.stores, decode_store);
  decode_list<AbsentWarps>(object, "absent", w.absent, decode_absent);
  read(object, "sentence", w.sentence);
  return w;
}

json encode_barrier(const TracedBarrier& b) {
  return {{"family", to_text(b.family)}, {"id", b.id}, {"name", b.name}};
}

TracedBarrier decode_barrier(const json& object) {
  TracedBarrier b;
  std::string family;
  read(object, "family", family);
  b.family = enum_of<BarrierFamily>(family, to_text);
  read(object, "id", b.id);
  read(object, "name", b.name);
  return b;
}

json encode_event(const BarrierEvent& e) {
  return json::array({e.warp, e.barrier, static_cast<int>(e.mark), e.phase,
                      static_cast<std::int32_t>(e.lanes), e.instruction, e.line, e.order});
}

BarrierEvent decode_event(const json& row) {
  BarrierEvent e;
  const auto number = [&](std::size_t at) { return integer(row.at(at)); };
  e.warp = static_cast<std::uint32_t>(number(0));
  e.barrier = static_cast<std::uint32_t>(number(1));
  const std::int64_t mark = number(2);
  constexpr auto kLast = static_cast<std::int64_t>(BarrierMark::wait);
  e.mark = static_cast<BarrierMark>(mark >= 0 && mark <= kLast ? mark : 0);
  e.phase = number(3);
  e.lanes = static_cast<std::uint32_t>(number(4));
  e.instruction = static_cast<std::uint32_t>(number(5));
  e.line = static_cast<int>(number(6));
  e.order = natural(row.at(7));
  return e;
}

}  // namespace

json encode_hang(const HangStory& story) {
  json object = {{"verdict", story.verdict},
                 {"blocks", story.blocks},
                 {"waits", encode_list<WaitingWarps>(story.waits, encode_wait)}};
  if (!story.circle.empty()) object["circle"] = story.circle;
  return object;
}

HangStory decode_hang(const json& object) {
  HangStory story;
  read(object, "verdict", story.verdict);
  read(object, "blocks", story.blocks);
  decode_list<WaitingWarps>(object, "waits", story.waits, decode_wait);
  story.circle = numbers_at(object, "circle");
  return story;
}

void encode_barrier_events(const Trace& t, json& object) {
  if (t.barriers.empty()) return;
  object["barriers"] = encode_list<TracedBarrier>(t.barriers, encode_barrier);
  object["barrier_events"] = encode_list<BarrierEvent>(t.barrier_events, encode_event);
}

void decode_barrier_events(const json& object, Trace& t) {
  decode_list<TracedBarrier>(object, "barriers", t.barriers, decode_barrier);
  decode_list<BarrierEvent>(object, "barrier_events", t.barrier_events, decode_event);
}

}  // namespace warpscope
