// profiling/messages/json_codec.h: the structs of measurements and messages as JSON values and
// back.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "profiling/messages/protocol.h"

// `encode_…` never fails. The `decode` functions throw nlohmann::json::exception on a wrong type
// and std::length_error for more rows than a message has; parse_line catches both. Missing fields
// keep the struct's defaults, unknown ones are passed over.

namespace warpscope {

nlohmann::json encode(const Measurement& measurement);  // json_codec_measurement.cpp
nlohmann::json encode(const PickedRow& picked);
nlohmann::json encode(const RoofSet& roofs);
nlohmann::json encode(const Timeline& timeline);
nlohmann::json encode(const Trace& trace);         // json_codec_trace.cpp
nlohmann::json encode(const LineCounters& lines);  // json_codec_lines.cpp …
nlohmann::json encode(const StallSamples& samples);
nlohmann::json encode(const WarpTimeline& warps);
nlohmann::json encode(const Conditions& conditions);
nlohmann::json encode(const Series& series);            // json_codec_outcomes.cpp …
nlohmann::json encode(const Picture& picture);          //
nlohmann::json encode(const Iteration& iteration);      //
nlohmann::json encode(const NamedBaseline& baseline);   //
nlohmann::json encode(const Compilation& compilation);  // json_codec_compiled.cpp …
nlohmann::json encode(const OutputPair& pair);          //
nlohmann::json encode(const HardVerdict& verdict);      //
nlohmann::json encode(const Listing& listing);          //
nlohmann::json encode(const SceneText& scene);          // json_codec_scene.cpp
nlohmann::json encode(const TrainingState& state);      // json_codec_training.cpp …
nlohmann::json encode(const Latents& latents);          //
nlohmann::json encode(const Hello& hello);
nlohmann::json encode(const Error& error);

void decode(const nlohmann::json& json, Measurement& measurement);
void decode(const nlohmann::json& json, PickedRow& picked);
void decode(const nlohmann::json& json, RoofSet& roofs);
void decode(const nlohmann::json& json, Timeline& timeline);
void decode(const nlohmann::json& json, Trace& trace);
void decode(const nlohmann::json& json, LineCounters& lines);
void decode(const nlohmann::json& json, StallSamples& samples);
void decode(const nlohmann::json& json, WarpTimeline& warps);
void decode(const nlohmann::json& json, Conditions& conditions);
void decode(const nlohmann::json& json, Series& series);
void decode(const nlohmann::json& json, Picture& picture);
void decode(const nlohmann::json& json, Iteration& iteration);
void decode(const nlohmann::json& json, NamedBaseline& baseline);
void decode(const nlohmann::json& json, Compilation& compilation);
void decode(const nlohmann::json& json, OutputPair& pair);
void decode(const nlohmann::json& json, HardVerdict& verdict);
void decode(const nlohmann::json& json, Listing& listing);
void decode(const nlohmann::json& json, SceneText& scene);
void decode(const nlohmann::json& json, TrainingState& state);
void decode(const nlohmann::json& json, Latents& latents);
void decode(const nlohmann::json& json, Hello& hello);
void decode(const nlohmann::json& json, Error& error);

// Parts of several messages.
nlohmann::json encode_axes(const Configuration& axes);  // json_codec_measurement.cpp …
nlohmann::json encode_step(const StepRecord& step);
nlohmann::json encode_verdict(const Verdict& verdict);
nlohmann::json encode_point(const PointId& id);                       // json_codec_outcomes.cpp
void decode_axes(const nlohmann::json& parent, Configuration& axes);  // its member "axes"
StepRecord decode_step(const nlohmann::json& object);
void decode_verdict(const nlohmann::json& value, Verdict& verdict);
PointId decode_point(const nlohmann::json& parent, const char* name = "point");

}  // namespace warpscope
