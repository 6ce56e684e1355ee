// tests/workbench/workspace/sample_session.cpp: workspaces in every state of a panel, from
// synthetic lines.
#include "tests/workbench/workspace/sample_session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "scenes/catalogue.h"
#include "tests/folders.h"

namespace warpscope::sample {
namespace {

Timing samples_around(CacheState cache, double ns) {
  Timing timing;
  timing.cache = cache;
  for (int i = 0; i < 60; ++i) timing.samples_ns.push_back(ns * (1 + 0.0005 * (i % 9 - 4)));
  summarise(timing);
  timing.stop_reason = "noise under 0.5 %";
  return timing;
}

Conditions conditions() {
  Conditions c;
  c.device = "synthetic device";
  c.toolkit = "13.0";
  c.date = "2026-11-21T09:00:00Z";
  c.source_hash = "first";
  return c;
}

MetricValue measured(const std::string& id, double value) {
  return {id, value, Origin::measured, "", ""};
}

}  // namespace

Configuration at_n(std::int64_t n) {
  Configuration axes = default_configuration(built_in_catalogue().find("csrmm").value()->axes);
  axes.set("n", n);
  return axes;
}

std::string key_of(const std::string& variant, std::int64_t n) {
  return configuration_key(built_in_catalogue().find("csrmm").value()->axes, at_n(n), variant);
}

std::string key_at_n(std::int64_t n) { return key_of(focus, n); }

Measurement correct(const std::string& variant, double warm_ns, std::int64_t n) {
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes = for_variant(built_in_catalogue().find("csrmm").value()->axes, at_n(n), variant);
  m.key = key_of(variant, n);
  m.verdict.outcome = Outcome::correct;
  m.verdict.sentence = "largest error 0.31 of the bound";
  m.cold = samples_around(CacheState::cold, warm_ns * 1.2);
  m.warm = samples_around(CacheState::warm, warm_ns);
  m.counters = "standard";
  m.counter_passes = 11;
  m.metrics = {measured("time.cold", m.cold->median_ns),
               measured("time.warm", m.warm->median_ns),
               measured("dram.bytes_read", 90e6),
               measured("dram.bytes_write", 10e6),
               measured("l2.bytes", 700e6),
               {"l2.hit_ratio", std::nullopt, Origin::measured,
                "the driver lets only root read counters", "run the engine as root"},
               measured("l1.wavefronts", 1100e6 / 128),
               {"model.flops", 512e6, Origin::modelled, "", ""},
               {"model.l1_bytes", 1100e6, Origin::modelled, "", ""}};
  StepRecord step;
  step.name = "multiply";
  step.kind = "kernel";
  step.source = "csrmm/float4_columns.cu";
  step.text_hash = "newer";
  step.entry = "float4_columns";
  step.compile_log = "ptxas: used 40 registers";
  m.steps = {step};
  m.conditions = conditions();
  return m;
}

Measurement failed(const std::string& variant, Outcome outcome, const std::string& sentence,
                   const std::string& remedy, std::int64_t n) {
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes = for_variant(built_in_catalogue().find("csrmm").value()->axes, at_n(n), variant);
  m.key = key_of(variant, n);
  m.verdict.outcome = outcome;
  m.verdict.sentence = sentence;
  m.verdict.remedy = remedy;
  m.conditions = conditions();
  return m;
}

Hello hello() {
  Hello hello;
  hello.role = "measure";
  hello.build = "0.1.0";
  hello.driver = "580.1";
  hello.toolkit = "13.0";
  hello.device = DeviceDescription{"synthetic device"};
  hello.device->compute_capability = 90;
  hello.device->sm_clock_mhz = 1980;
  hello.capabilities = {
      {"counters", true, "2025.3", "", ""},
      {"cudnn", false, "", "libcudnn.so.9 is not here", "install libcudnn9-cuda-13"}};
  return hello;
}

RoofSet roofs() {
  RoofSet set;
  const auto dram = [](const char* mix, double write_share, double value, int segment_bytes = 0) {
    Roof roof{Level::dram, value, "B/s", "synthetic"};
    roof.mix = {mix, write_share, segment_bytes};
    return roof;
  };
  const auto pipe = [](Pipe which, double value) {
    Roof roof{Level::pipe, value, "FLOP/s", "synthetic"};
    roof.pipe = which;
    return roof;
  };
  set.roofs = {dram("copy", 0.5, 4.2e12),
               dram("triad", 1.0 / 3, 4.3e12),
               dram("read", 0, 4.6e12),
               dram("write", 1, 4.7e12),
               dram("gather of 32 B", 0, 1.3e12, 32),
               {Level::l2, 8e12, "B/s", "synthetic"},
               {Level::l1, 30e12, "B/s", "synthetic"},
               pipe(Pipe::fp32, 60e12),
               pipe(Pipe::half2, 120e12),
               pipe(Pipe::mma_bf16, 600e12)};
  set.conditions = conditions();
  return set;
}

Timeline timeline(const std::string& variant, std::int64_t n) {
  Timeline t;
  t.scene = "csrmm";
  t.variant = variant;
  t.key = key_of(variant, n);
  t.ranges = {{"csrmm/" + variant, 0, 400e3, 0}, {"multiply", 20e3, 60e3, 1}};
  TimelineActivity kernel;
  kernel.kind = "kernel";
  kernel.name = variant;
  kernel.start_ns = 100e3;
  kernel.end_ns = 220e3;
  t.activities = {kernel};
  t.conditions = conditions();
  return t;
}

Job job(std::int64_t number, JobKind kind, const std::string& variant) {
  Job job;
  job.job = number;
  job.work = work_of(kind);
  job.scene = "csrmm";
  job.variant = variant;
  return job;
}

std::unique_ptr<Workspace> recorded(const std::vector<Message>& messages,
                                    const std::shared_ptr<Catalogue>& catalogue) {
  auto workspace = std::make_unique<Workspace>(std::vector<std::string>{},
                                               std::vector<std::string>{}, catalogue);
  const auto path = std::filesystem::temp_directory_path() /
                    ("warpscope-sample-" + std::to_string(::getpid()) + ".wsj");
  {
    std::ofstream file(path);
    Hello from;
    from.role = "workbench";
    file << to_line(from) << "\n";
    for (const Message& message : messages) file << to_line(message) << "\n";
  }
  const Result<void> opened = workspace->open(path);
  EXPECT_TRUE(opened) << sentence(opened.error());
  std::filesystem::remove(path);
  workspace->selection.variant = focus;
  return workspace;
}

std::unique_ptr<Workspace> measuring(const std::string& mode) {
  auto workspace =
      std::make_unique<Workspace>(std::vector<std::string>{built_program("fake_engine"), mode});
  workspace->selection.variant = focus;
  const auto start = std::chrono::steady_clock::now();
  while (!workspace->view().engines.engine_ready() && !workspace->view().engines.trouble() &&
         std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
    workspace->wait(0.02);
    workspace->update();
  }
  return workspace;
}

}  // namespace warpscope::sample
