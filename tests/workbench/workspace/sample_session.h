// tests/workbench/workspace/sample_session.h: workspaces in every state of a panel, from synthetic
// lines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workbench/workspace/workspace.h"

// All of it is of the scene csrmm at its default configuration, with n as given.
//
//   auto workspace = sample::recorded({sample::roofs(), sample::correct(sample::focus, 120e3)});

namespace warpscope::sample {

inline constexpr const char* focus = "float4_columns";         // in focus in every workspace here
inline constexpr const char* baseline = "warp_row_zero_test";  // the scene's own

Configuration at_n(std::int64_t n);
std::string key_of(const std::string& variant, std::int64_t n);
std::string key_of(const std::string& variant, std::int64_t n);
std::string key_at_n(std::int64_t n);  // of every variant without axes of its own

// A correct point with cold and warm samples around these times. Among its metrics the L2 hit rate
// is missing, with a reason and a remedy; L1 bytes are known only from the work model.
Measurement correct(const std::string& variant, double warm_ns, std::int64_t n = 128);
// A point without a figure.
Measurement failed(const std::string& variant, Outcome outcome, const std::string& sentence,
                   const std::string& remedy, std::int64_t n = 128);

Hello hello();    // of a device with counters
RoofSet roofs();  // at which L2 limits a point of 120 µs, with about 73 %
Timeline timeline(const std::string& variant, std::int64_t n = 128);
Job job(std::int64_t number, JobKind kind, const std::string& variant);

// A session of these messages, opened as a recorded one.
std::unique_ptr<Workspace> recorded(
    const std::vector<Message>& messages,
    const std::shared_ptr<Catalogue>& catalogue = std::make_shared<Catalogue>());
// A workspace whose engine is the fake one in this mode, once it has said hello.
std::unique_ptr<Workspace> measuring(const std::string& mode);

}  // namespace warpscope::sample
