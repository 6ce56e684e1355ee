// tests/engine/hard_answers.h: what an emulating engine answers of a variant at a hard case.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiling/engine/run/emulation.h"
#include "profiling/export/hard_verdicts.h"
#include "scenes/base/source.h"
#include "tests/scenes/tested_scenes.h"

namespace warpscope {

class HardAnswers {
 public:
  // The verdict of a run, with these texts of the scene's kernels. A job that does not end well is
  // a failure of the test.
  HardVerdict of(const Scene& scene, const HardRun& run, const std::vector<KernelSource>& sources) {
    HardVerdict answer;
    JobChannel channel;
    channel.send = [&answer](const Message& message) {
      if (const auto* verdict = std::get_if<HardVerdict>(&message)) answer = *verdict;
    };
    channel.interrupted = [] { return false; };
    Job job;
    job.work = VerifyJob{run.hard_case};
    job.scene = scene.name;
    job.variant = run.variant->name;
    job.axes = run.axes;
    job.sources = sources;
    const Result<void> done = emulation_.run(job, channel);
    EXPECT_TRUE(done) << scene.name << "/" << job.variant << " at " << run.hard_case << ": "
                      << sentence(done.error());
    EXPECT_EQ(answer.hard_case, run.hard_case) << "no verdict came";
    return answer;
  }

 private:
  const Catalogue catalogue_{tested_scenes()};
  Emulation emulation_{catalogue_};
};

}  // namespace warpscope
