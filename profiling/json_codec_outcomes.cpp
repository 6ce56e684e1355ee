// profiling/json_codec_outcomes.cpp: curves, pictures and iterations as JSON and back.
#include <array>
#include <nlohmann/json.hpp>

#include "profiling/json_codec.h"
#include "profiling/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr int kDecisions = 3;
constexpr int kMostSide = 8192;  // pixels of a picture

json encode_point(const PointId& id) {
  json object = {{"scene", id.scene}, {"variant", id.variant}, {"key", id.key}};
  write(object, "code_id", id.code_id);
  write(object, "device_uuid", id.device_uuid);
  return object;
}

PointId decode_point(const json& parent) {
  PointId id;
  const auto found = parent.find("point");
  if (found == parent.end()) return id;
  read(*found, "scene", id.scene);
  read(*found, "variant", id.variant);
  read(*found, "key", id.key);
  read(*found, "code_id", id.code_id);
  read(*found, "device_uuid", id.device_uuid);
  return id;
}

// Two hexadecimal digits a byte: gzip of a session brings them back to about what they hold.
std::string to_hex(const std::vector<std::uint8_t>& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  throw std::length_error("a pixel is no hexadecimal number");
}

std::vector<std::uint8_t> from_hex(const std::string& text) {
  std::vector<std::uint8_t> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(16 * digit_of(text[2 * i]) + digit_of(text[2 * i + 1]));
  return bytes;
}

}  // namespace

const char* to_text(Decision decision) {
  constexpr std::array<const char*, kDecisions> kNames = {"open", "kept", "reverted"};
  return kNames[static_cast<std::size_t>(decision)];
}

json encode(const Series& s) {
  json object = {{"job", s.job},     {"point", encode_point(s.point)},
                 {"name", s.name},   {"label", s.label},
                 {"along", s.along}, {"unit", s.unit},
                 {"x", s.x},         {"y", s.y}};
  if (s.partial) object["partial"] = true;
  return object;
}

void decode(const json& object, Series& s) {
  read(object, "job", s.job);
  s.point = decode_point(object);
  read(object, "name", s.name);
  read(object, "label", s.label);
  read(object, "along", s.along);
  read(object, "unit", s.unit);
  for (const auto& [name, values] : {std::pair{"x", &s.x}, std::pair{"y", &s.y}}) {
    if (const auto list = object.find(name); list != object.end()) {
      for (const json& value : rows_of(*list)) values->push_back(value.get<double>());
    }
  }
  if (s.x.size() != s.y.size()) throw std::length_error("a curve has as many x as y");
  read(object, "partial", s.partial);
}

json encode(const Picture& p) {
  return {{"job", p.job},        {"point", encode_point(p.point)},
          {"name", p.name},      {"caption", p.caption},
          {"width", p.width},    {"height", p.height},
          {"rgb", to_hex(p.rgb)}};
}

void decode(const json& object, Picture& p) {
  read(object, "job", p.job);
  p.point = decode_point(object);
  read(object, "name", p.name);
  read(object, "caption", p.caption);
  read(object, "width", p.width);
  read(object, "height", p.height);
  std::string rgb;
  read(object, "rgb", rgb);
  const bool sides = p.width > 0 && p.height > 0 && p.width <= kMostSide && p.height <= kMostSide;
  if (!sides || rgb.size() != 6 * static_cast<std::size_t>(p.width) * p.height)
    throw std::length_error("a picture has three bytes for each of its pixels");
  p.rgb = from_hex(rgb);
}

json encode(const Iteration& i) {
  json object = {{"number", i.number}, {"parent", i.parent}, {"decision", to_text(i.decision)}};
  write(object, "scene", i.scene);
  write(object, "variant", i.variant);
  write(object, "hypothesis", i.hypothesis);
  write(object, "code_id", i.code_id);
  write(object, "diff", i.diff);
  write(object, "said", i.said);
  write(object, "verdict", i.verdict);
  write(object, "date", i.date);
  write(object, "device", i.device);
  write(object, "device_uuid", i.device_uuid);
  if (!i.predicted.empty()) object["predicted"] = encode_metrics(i.predicted);
  if (!i.measured.empty()) object["metrics"] = encode_metrics(i.measured);
  return object;
}

void decode(const json& object, Iteration& i) {
  read(object, "number", i.number);
  read(object, "parent", i.parent);
  std::string decision;
  read(object, "decision", decision);
  i.decision = enum_of<Decision>(decision, kDecisions, to_text);
  read(object, "scene", i.scene);
  read(object, "variant", i.variant);
  read(object, "hypothesis", i.hypothesis);
  read(object, "code_id", i.code_id);
  read(object, "diff", i.diff);
  read(object, "said", i.said);
  read(object, "verdict", i.verdict);
  read(object, "date", i.date);
  read(object, "device", i.device);
  read(object, "device_uuid", i.device_uuid);
  decode_metrics(object, i.measured);
  if (const auto predicted = object.find("predicted"); predicted != object.end())
    decode_metrics(json{{"metrics", *predicted}}, i.predicted);
}

}  // namespace warpscope
