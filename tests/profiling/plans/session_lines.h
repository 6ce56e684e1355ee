// tests/profiling/plans/session_lines.h: sessions written line by line, in a folder of their own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "profiling/messages/protocol.h"

namespace warpscope {

// How a point differs from the usual one.
struct RecordedPoint {
  std::string counters = "none", uuid = "GPU-1", tag, code = "c0de", device = "NVIDIA H200";
  Outcome outcome = Outcome::correct;
  bool job = true, answer = true, done = true;
};

class Recording {
 public:
  explicit Recording(std::filesystem::path path) : path_(std::move(path)), file_(path_) {}
  void line(const std::string& text) { file_ << text << "\n" << std::flush; }
  void say(const Message& message) { line(to_line(message)); }
  void hello(const std::string& date, const std::string& uuid = "GPU-1",
             const std::string& build = "0.1.0") {
    Hello hello;
    hello.role = "measure";
    hello.build = build;
    hello.date = date;
    hello.process = ++process_;
    hello.device = DeviceDescription{"NVIDIA H200"};
    hello.device->uuid = uuid;
    say(hello);
  }
  void point(const std::string& variant, int n, const std::string& date,
             const RecordedPoint& change = {}) {
    Job job;
    job.job = ++job_;
    job.tag = change.tag;
    job.scene = "csrmm";
    job.variant = variant;
    job.axes = {{"n", std::to_string(n)}};
    job.work = MeasureJob{.counters = change.counters};
    job.time_limit_s = 0.5;
    if (change.job) say(job);
    if (change.answer) say(answer_to(job, date, change));
    if (change.done) say(Done{job.job});
  }
  Measurement answer_to(const Job& job, const std::string& date,
                        const RecordedPoint& change) const {
    Measurement m;
    m.job = job.job;
    m.scene = job.scene;
    m.variant = job.variant;
    m.key = "n=" + job.axes.at("n");
    m.counters = change.counters;
    m.verdict.outcome = change.outcome;
    m.warm = Timing{CacheState::warm, {999, 1000, 1001}};
    m.conditions.device = change.device;
    m.conditions.device_uuid = change.uuid;
    m.conditions.date = date;
    m.conditions.code_id = change.code;
    return m;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::ofstream file_;
  std::int64_t job_ = 0, process_ = 100;
};

class SessionLines : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "plans-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Recording recording(const std::string& name) const { return Recording(folder_ / name); }
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

}  // namespace warpscope
