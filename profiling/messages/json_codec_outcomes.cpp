// profiling/messages/json_codec_outcomes.cpp: curves, pictures, iterations and named baselines as
// JSON and back.
#include <array>
#include <nlohmann/json.hpp>

#include "profiling/messages/json_codec.h"
#include "profiling/messages/json_fields.h"
#include "profiling/points/run_outcomes.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

using nlohmann::json;

// What curves and pictures begin with.
template <typename Message>
json encode_header(const Message& m) {
  return {{"job", m.job}, {"point", encode_point(m.point)}, {"name", m.name}};
}

template <typename Message>
void decode_header(const json& object, Message& m) {
  read(object, "job", m.job);
  m.point = decode_point(object);
  read(object, "name", m.name);
}

// The texts of an iteration, each left out where it is empty.
struct IterationText {
  const char* name;
  std::string Iteration::*member;
};
constexpr IterationText kIterationTexts[] = {
    {"scene", &Iteration::scene},           {"variant", &Iteration::variant},
    {"hypothesis", &Iteration::hypothesis}, {"problem", &Iteration::problem},
    {"code_id", &Iteration::code_id},       {"diff", &Iteration::diff},
    {"scene_text", &Iteration::scene_text}, {"said", &Iteration::said},
    {"verdict", &Iteration::verdict},       {"date", &Iteration::date},
    {"device", &Iteration::device},         {"device_uuid", &Iteration::device_uuid}};

}  // namespace

json encode_point(const PointId& id) {
  json object = {{"scene", id.scene}, {"variant", id.variant}, {"key", id.key}};
  write(object, "code_id", id.code_id);
  write(object, "device_uuid", id.device_uuid);
  return object;
}

PointId decode_point(const json& parent, const char* name) {
  PointId id;
  const auto found = parent.find(name);
  if (found == parent.end()) return id;
  read(*found, "scene", id.scene);
  read(*found, "variant", id.variant);
  read(*found, "key", id.key);
  read(*found, "code_id", id.code_id);
  read(*found, "device_uuid", id.device_uuid);
  return id;
}

const char* to_text(Decision decision) { return named(decision, {"open", "kept", "reverted"}); }

json encode(const Series& s) {
  json object = encode_header(s);
  object["label"] = s.label;
  object["along"] = s.along;
  object["unit"] = s.unit;
  object["x"] = s.x;
  object["y"] = s.y;
  if (s.partial) object["partial"] = true;
  if (s.continues) object["continues"] = true;
  return object;
}

void decode(const json& object, Series& s) {
  decode_header(object, s);
  read(object, "label", s.label);
  read(object, "along", s.along);
  read(object, "unit", s.unit);
  for (const auto& [name, values] : {std::pair{"x", &s.x}, std::pair{"y", &s.y}}) {
    if (const auto list = object.find(name); list != object.end()) {
      for (const json& value : rows_of(*list)) values->push_back(value.get<double>());
    }
  }
  if (s.x.size() != s.y.size()) throw std::length_error("a curve needs as many x as y");
  read(object, "partial", s.partial);
  read(object, "continues", s.continues);
}

json encode(const Picture& p) {
  json object = encode_header(p);
  object["caption"] = p.caption;
  object["width"] = p.width;
  object["height"] = p.height;
  object["rgb"] = hex_of(p.rgb);
  return object;
}

void decode(const json& object, Picture& p) {
  decode_header(object, p);
  read(object, "caption", p.caption);
  read(object, "width", p.width);
  read(object, "height", p.height);
  std::string rgb;
  read(object, "rgb", rgb);
  const bool sides =
      p.width > 0 && p.height > 0 && p.width <= kMostPictureSide && p.height <= kMostPictureSide;
  if (!sides || rgb.size() != 6 * static_cast<std::size_t>(p.width) * p.height)
    throw std::length_error("a picture needs three bytes per pixel");
  p.rgb = bytes_of_hex(rgb);
}

json encode(const Iteration& i) {
  json object = {{"number", i.number}, {"parent", i.parent}, {"decision", to_text(i.decision)}};
  for (const IterationText& text : kIterationTexts) write(object, text.name, i.*text.member);
  if (!i.axes.empty()) object["axes"] = i.axes;
  if (!i.predicted.empty()) object["predicted"] = encode_metrics(i.predicted);
  if (!i.measured.empty()) object["metrics"] = encode_metrics(i.measured);
  return object;
}

void decode(const json& object, Iteration& i) {
  read(object, "number", i.number);
  read(object, "parent", i.parent);
  std::string decision;
  read(object, "decision", decision);
  i.decision = enum_of<Decision>(decision, to_text);
  for (const IterationText& text : kIterationTexts) read(object, text.name, i.*text.member);
  read(object, "axes", i.axes);
  decode_metrics(object, i.measured);
  if (const auto predicted = object.find("predicted"); predicted != object.end())
    decode_metrics(json{{"metrics", *predicted}}, i.predicted);
}

json encode(const NamedBaseline& b) {
  json object = {{"id", b.id}};
  if (b.removed) {
    object["removed"] = true;
    return object;
  }
  object["name"] = b.name;
  write(object, "session", b.session);
  object["measurement"] = encode(b.point);
  return object;
}

void decode(const json& object, NamedBaseline& b) {
  read(object, "id", b.id);
  read(object, "removed", b.removed);
  read(object, "name", b.name);
  read(object, "session", b.session);
  if (const auto point = object.find("measurement"); point != object.end()) decode(*point, b.point);
}

}  // namespace warpscope
