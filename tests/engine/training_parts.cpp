// tests/engine/training_parts.cpp: a training as an emulating engine runs it, without its process.
#include "tests/engine/training_parts.h"

#include <set>

#include "scenes/catalogue.h"

namespace warpscope {

std::vector<KernelSource> sources_of(const std::string& scene_name, const std::string& variant_name,
                                     const Texts& axes) {
  const Scene& scene = *built_in_catalogue().find(scene_name).value();
  const auto configuration = configured(scene, variant_name, axes);
  const Variant& variant = *find_variant(scene, variant_name);
  const SourceLookup on_disk = sources_on_disk();
  std::set<std::string> seen;
  std::vector<KernelSource> all;
  for (const Step& step : variant.steps({*configuration, {}})) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr) continue;
    std::vector<KernelSource> texts = on_disk(kernel->source).value();
    for (KernelSource& source : texts) {
      if (seen.insert(source.path).second) all.push_back(std::move(source));
    }
  }
  return all;
}

Job training_job(const std::string& variant, Texts axes, Texts training) {
  Job job;
  job.job = 1;
  job.work = TrainJob{};
  job.scene = "autoencoder";
  job.variant = variant;
  job.axes = std::move(axes);
  for (const auto& [name, value] :
       Texts{{"part", "step"}, {"batch", "2"}, {"channels", "4"}, {"size", "8"}})
    job.axes.insert({name, value});
  job.as<TrainJob>()->training = std::move(training);
  for (const auto& [name, value] : Texts{{"samples", "8"}, {"epochs", "3"}})
    job.as<TrainJob>()->training.insert({name, value});
  job.as<TrainJob>()->checkpoint_s = 0;  // after every step
  job.sources = sources_of(job.scene, variant, job.axes);
  return job;
}

std::vector<TrainingState> Answers::states() const {
  std::vector<TrainingState> found;
  for (const Message& message : said) {
    if (const auto* state = std::get_if<TrainingState>(&message)) found.push_back(*state);
  }
  return found;
}

const std::vector<std::uint8_t>& Answers::weights() const {
  static const std::vector<std::uint8_t> none;
  for (auto message = said.rbegin(); message != said.rend(); ++message) {
    if (const auto* state = std::get_if<TrainingState>(&*message)) return state->weights;
  }
  return none;
}

Series Answers::curve(const std::string& name) const {
  Outcomes outcomes;
  for (const Message& message : said) {
    if (const auto* series = std::get_if<Series>(&message)) outcomes.keep(*series);
  }
  for (const Series* series : outcomes.series()) {
    if (series->name == name) return *series;
  }
  return {};
}

std::vector<Picture> Answers::pictures() const {
  std::vector<Picture> found;
  for (const Message& message : said) {
    if (const auto* picture = std::get_if<Picture>(&message)) found.push_back(*picture);
  }
  return found;
}

Answers answers_of(TrainingRunner& runner, const Job& job, const TrainingQuestions& asked) {
  Answers answers;
  JobChannel channel;
  channel.send = [&](const Message& message) { answers.said.push_back(message); };
  channel.interrupted = [&] { return asked.interrupted(answers); };
  channel.others_wait = asked.others_wait;
  if (const Result<void> done = runner.run(job, channel); !done) {
    answers.error = done.error();
    answers.failed = true;
  }
  return answers;
}

Answers EmulatedTraining::run(const Job& job, const TrainingQuestions& asked) {
  Answers answers = answers_of(runner_, job, asked);
  answers.goes_on = runner_.goes_on(job);
  return answers;
}

}  // namespace warpscope
