// profiling/messages/json_codec_compiled.cpp: compilations, listings and pairs of outputs as JSON
// and back.
#include <nlohmann/json.hpp>

#include "profiling/messages/json_codec.h"
#include "profiling/messages/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

json encode_difference(const OutputDifference& d) {
  json object = {{"output", d.output},           {"type", d.type},
                 {"elements", d.elements},       {"bit_equal", d.bit_equal},
                 {"not_numbers", d.not_numbers}, {"most_ulps", d.most_ulps}};
  if (d.at.empty()) return object;
  object["at"] = d.at;
  // Numbers: what is none is counted apart. An infinity is none of JSON's.
  write(object, "here", std::optional(d.here));
  write(object, "there", std::optional(d.there));
  return object;
}

OutputDifference decode_difference(const json& row) {
  OutputDifference d;
  read(row, "output", d.output);
  read(row, "type", d.type);
  read(row, "elements", d.elements);
  read(row, "bit_equal", d.bit_equal);
  read(row, "not_numbers", d.not_numbers);
  read(row, "most_ulps", d.most_ulps);
  read(row, "at", d.at);
  read(row, "here", d.here);
  read(row, "there", d.there);
  return d;
}

}  // namespace

json encode(const Compilation& c) {
  json object = {{"job", c.job},
                 {"point", encode_point(c.point)},
                 {"axes", encode_axes(c.axes)},
                 {"facts", c.facts},
                 {"compute_capability", c.compute_capability},
                 {"toolkit", c.toolkit},
                 {"steps", encode_list<StepRecord>(c.steps, encode_step)}};
  write(object, "refusal", c.refusal);
  return object;
}

void decode(const json& object, Compilation& c) {
  read(object, "job", c.job);
  c.point = decode_point(object);
  decode_axes(object, c.axes);
  read(object, "facts", c.facts);
  read(object, "compute_capability", c.compute_capability);
  read(object, "toolkit", c.toolkit);
  read(object, "refusal", c.refusal);
  decode_list<StepRecord>(object, "steps", c.steps, decode_step);
}

json encode(const OutputPair& p) {
  json object = {{"job", p.job},
                 {"first", encode_point(p.first)},
                 {"second", encode_point(p.second)},
                 {"conditions", encode(p.conditions)},
                 {"first_verdict", encode_verdict(p.first_verdict)},
                 {"second_verdict", encode_verdict(p.second_verdict)},
                 {"outputs", encode_list<OutputDifference>(p.outputs, encode_difference)}};
  write(object, "refusal", p.refusal);
  return object;
}

void decode(const json& object, OutputPair& p) {
  read(object, "job", p.job);
  p.first = decode_point(object, "first");
  p.second = decode_point(object, "second");
  if (const auto c = object.find("conditions"); c != object.end()) decode(*c, p.conditions);
  for (const auto& [name, verdict] : {std::pair("first_verdict", &p.first_verdict),
                                      std::pair("second_verdict", &p.second_verdict)}) {
    if (const auto found = object.find(name); found != object.end())
      decode_verdict(*found, *verdict);
  }
  read(object, "refusal", p.refusal);
  decode_list<OutputDifference>(object, "outputs", p.outputs, decode_difference);
}

json encode(const HardVerdict& v) {
  json object = {{"job", v.job},
                 {"point", encode_point(v.point)},
                 {"hard_case", v.hard_case},
                 {"axes", encode_axes(v.axes)},
                 {"conditions", encode(v.conditions)},
                 {"verdict", encode_verdict(v.verdict)},
                 {"finding", v.finding}};
  if (v.first_wrong) {
    object["first_wrong"] = {{"at", v.first_wrong->at},
                             {"found", v.first_wrong->found},
                             {"expected", v.first_wrong->expected}};
  }
  return object;
}

void decode(const json& object, HardVerdict& v) {
  read(object, "job", v.job);
  v.point = decode_point(object);
  read(object, "hard_case", v.hard_case);
  decode_axes(object, v.axes);
  if (const auto c = object.find("conditions"); c != object.end()) decode(*c, v.conditions);
  if (const auto found = object.find("verdict"); found != object.end())
    decode_verdict(*found, v.verdict);
  read(object, "finding", v.finding);
  if (const auto wrong = object.find("first_wrong"); wrong != object.end()) {
    v.first_wrong.emplace();
    read(*wrong, "at", v.first_wrong->at);
    read(*wrong, "found", v.first_wrong->found);
    read(*wrong, "expected", v.first_wrong->expected);
  }
}

namespace {

json encode_kernel(const ListedKernel& k) {
  json object = {{"symbol", k.symbol},
                 {"name", k.name},
                 {"parameters", json::array()},
                 {"shared_bytes", k.shared_bytes},
                 {"dynamic_shared", k.dynamic_shared}};
  for (const ListedParameter& p : k.parameters)
    object["parameters"].push_back(
        {{"type", p.type}, {"name", p.name}, {"bytes", p.bytes}, {"pointer", p.pointer}});
  if (k.required_block[0] > 0) object["required_block"] = k.required_block;
  if (k.most_threads > 0) object["most_threads"] = k.most_threads;
  return object;
}

ListedKernel decode_kernel(const json& object) {
  ListedKernel k;
  read(object, "symbol", k.symbol);
  read(object, "name", k.name);
  read(object, "shared_bytes", k.shared_bytes);
  read(object, "dynamic_shared", k.dynamic_shared);
  read(object, "most_threads", k.most_threads);
  if (const auto found = object.find("required_block"); found != object.end())
    k.required_block = found->get<std::array<std::int64_t, 3>>();
  if (const auto found = object.find("parameters"); found != object.end()) {
    for (const json& row : rows_of(*found)) {
      ListedParameter p;
      read(row, "type", p.type);
      read(row, "name", p.name);
      read(row, "bytes", p.bytes);
      read(row, "pointer", p.pointer);
      k.parameters.push_back(std::move(p));
    }
  }
  return k;
}

}  // namespace

json encode(const Listing& l) {
  json object = {{"job", l.job},         {"point", encode_point(l.point)},
                 {"step", l.step},       {"source", l.source},
                 {"entry", l.entry},     {"text_hash", l.text_hash},
                 {"files", l.files},     {"defines", l.defines},
                 {"toolkit", l.toolkit}, {"compute_capability", l.compute_capability}};
  write(object, "ptx", l.ptx);
  write(object, "machine_code", l.machine_code);
  write(object, "no_ptx", l.no_ptx);
  write(object, "no_machine_code", l.no_machine_code);
  if (l.ptx_lines) object["ptx_lines"] = true;
  for (const LiveRegisters& live : l.live)
    object["live"].push_back(
        {live.general, live.uniform, live.predicates, live.uniform_predicates, live.names});
  if (!l.guessed.empty()) object["guessed"] = l.guessed;
  for (const ListedKernel& k : l.kernels) object["kernels"].push_back(encode_kernel(k));
  return object;
}

void decode(const json& object, Listing& l) {
  read(object, "job", l.job);
  l.point = decode_point(object);
  read(object, "step", l.step);
  read(object, "source", l.source);
  read(object, "entry", l.entry);
  read(object, "text_hash", l.text_hash);
  read(object, "files", l.files);
  read(object, "defines", l.defines);
  read(object, "toolkit", l.toolkit);
  read(object, "compute_capability", l.compute_capability);
  read(object, "ptx", l.ptx);
  read(object, "machine_code", l.machine_code);
  read(object, "no_ptx", l.no_ptx);
  read(object, "no_machine_code", l.no_machine_code);
  read(object, "ptx_lines", l.ptx_lines);
  read(object, "guessed", l.guessed);
  if (const auto found = object.find("live"); found != object.end()) {
    for (const json& cells : rows_of(*found))
      l.live.push_back({cells.at(0).get<int>(), cells.at(1).get<int>(), cells.at(2).get<int>(),
                        cells.at(3).get<int>(), cells.at(4).get<std::string>()});
  }
  if (const auto found = object.find("kernels"); found != object.end()) {
    for (const json& row : rows_of(*found)) l.kernels.push_back(decode_kernel(row));
  }
}

}  // namespace warpscope
