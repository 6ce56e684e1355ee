// workbench/commands/train.cpp: train: a variant's steps learn, with checkpoints and exports.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "profiling/figures/metric.h"
#include "profiling/training/checkpoint.h"
#include "profiling/training/weight_files.h"
#include "scenes/base/npy_array.h"
#include "scenes/base/texts/code_id.h"
#include "scenes/catalogue.h"
#include "scenes/host/clock.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "scenes/training.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/window/offscreen.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using Texts = std::map<std::string, std::string>;

struct TrainOptions {
  EngineChoice engine;
  std::string what = "autoencoder", session, csv, resume, checkpoint, weights, layout = "nchw";
  std::string export_weights, export_latents, decode, out;
  std::vector<std::string> axes;
  double checkpoint_s = 10;
  bool json = false, emulated = false;
};

// What a training is asked of.
struct Asked {
  const Scene* scene = nullptr;
  const Variant* variant = nullptr;
  Job job;

  Asked() { job.work = TrainJob{}; }
  TrainJob& training() { return *job.as<TrainJob>(); }
  const TrainJob& training() const { return *job.as<TrainJob>(); }
};

// axis=value words of the point and of the training, apart.
Result<void> take_axes(const TrainOptions& options, const Training& training, Asked& asked) {
  Job& job = asked.job;
  const auto axes = axis_arguments(options.axes);
  if (!axes) return tl::unexpected(axes.error());
  for (const auto& [name, text] : *axes)
    (find_axis(training.axes, name) != nullptr ? asked.training().training : job.axes)[name] = text;
  for (const auto& setting : training.settings) {
    const auto typed = job.axes.find(setting.first);
    if (typed != job.axes.end() && typed->second != setting.second) {
      return failure(
          ErrorKind::usage,
          "training needs " + setting.first + "=" + setting.second + ", not " + typed->second,
          "axis " + setting.first, "leave it out");
    }
    job.axes.insert(setting);
  }
  return {};
}

// A checkpoint says what is trained; the command may go on longer or at another rate.
Result<void> take_checkpoint(const TrainOptions& options, const Training& training,
                             const std::string& variant, Asked& asked) {
  Result<TrainingState> state = read_checkpoint(options.resume);
  if (!state) return tl::unexpected(state.error());
  const auto refuse = [&](const std::string& name, const std::string& its,
                          const std::string& typed) {
    return failure(ErrorKind::usage,
                   "the checkpoint has " + name + its + ", but you asked for " + typed,
                   options.resume, "leave that out, or start again with --weights");
  };
  if (state->scene != asked.scene->name) return refuse("scene ", state->scene, asked.scene->name);
  if (!variant.empty() && state->variant != variant)
    return refuse("variant ", state->variant, variant);
  Texts axes = state->axes, settings = state->settings;
  for (const auto& [name, text] : asked.job.axes) {
    if (name != training.rate && axes.count(name) != 0 && axes.at(name) != text)
      return refuse(name + "=", axes.at(name), text);
    axes[name] = text;
  }
  for (const auto& [name, text] : asked.training().training) {
    if (name != "epochs" && settings.at(name) != text)
      return refuse(name + "=", settings.at(name), text);
    settings[name] = text;
  }
  asked.variant = find_variant(*asked.scene, state->variant);
  asked.job.axes = std::move(axes);
  asked.training().training = std::move(settings);
  asked.training().resume = std::move(*state);
  return {};
}

Result<void> take_weights(const TrainOptions& options, const Training& training,
                          const Configuration& axes, TrainJob& asked) {
  if (options.layout != "nchw" && options.layout != "nhwc") {
    return failure(ErrorKind::usage, "there is no layout “" + options.layout + "”", "--layout",
                   "write nchw for [out, in, 3, 3] or nhwc for " + training.other_layout);
  }
  Result<std::vector<std::uint8_t>> bytes =
      read_weights(options.weights, training, axes, options.layout == "nhwc");
  if (!bytes) return tl::unexpected(bytes.error());
  asked.resume.emplace().weights = std::move(*bytes);
  return {};
}

Result<Asked> asked_of(Catalogue& catalogue, const TrainOptions& options) {
  const Result<SceneAndVariants> chosen = scene_argument(catalogue, options.what);
  if (!chosen) return tl::unexpected(chosen.error());
  Asked asked;
  asked.scene = chosen->scene;
  const Scene& scene = *asked.scene;
  if (!scene.training)
    return failure(ErrorKind::usage, "its steps train nothing", options.what, "train autoencoder");
  if (!options.resume.empty() && !options.weights.empty())
    return failure(ErrorKind::usage, "a checkpoint has weights of its own", "--weights",
                   "leave out --resume or --weights");
  const Training& training = *scene.training;
  const std::string named =
      options.what.find('/') == std::string::npos ? "" : chosen->variants.front()->name;
  if (Result<void> taken = take_axes(options, training, asked); !taken)
    return tl::unexpected(taken.error());
  if (!options.resume.empty()) {
    if (Result<void> taken = take_checkpoint(options, training, named, asked); !taken)
      return tl::unexpected(taken.error());
  }
  const Result<Configuration> typed =
      with_values(scene.axes, default_configuration(scene.axes), asked.job.axes);
  if (!typed) return tl::unexpected(typed.error());
  if (asked.variant == nullptr)
    asked.variant = variant_at(scene, *typed, named.empty() ? scene.baseline : named);
  if (asked.variant == nullptr || (!named.empty() && asked.variant->name != named))
    return failure(ErrorKind::usage, "it is not a whole training step", options.what,
                   "choose a variant of part step: `warpscope list autoencoder`");
  const Configuration axes = for_variant(scene.axes, *typed, asked.variant->name);
  if (Result<void> admitted = scene.admit(axes); !admitted) return tl::unexpected(admitted.error());
  const Result<Configuration> settings =
      with_values(training.axes, default_configuration(training.axes), asked.training().training);
  if (!settings) return tl::unexpected(settings.error());
  if (!options.weights.empty()) {
    if (Result<void> taken = take_weights(options, training, axes, asked.training()); !taken)
      return tl::unexpected(taken.error());
  }
  asked.job.tag = "train";
  asked.job.scene = scene.name;
  asked.job.variant = asked.variant->name;
  asked.training().checkpoint_s = options.checkpoint_s;
  asked.training().latents = !options.export_latents.empty();
  asked.job.hang_limit_s = options.engine.limit_s.value_or(asked.job.hang_limit_s);
  return asked;
}

// A person who names no file loses no earlier training to a new one.
fs::path checkpoint_path(const TrainOptions& options, const std::string& scene) {
  if (!options.checkpoint.empty()) return options.checkpoint;
  return options.resume.empty() ? free_checkpoint(scene) : fs::path(options.resume);
}

// What comes of a training while it runs.
class Following {
 public:
  explicit Following(fs::path checkpoint) : checkpoint_(std::move(checkpoint)) {}
  void see(const Message& message) {
    if (const auto* state = std::get_if<TrainingState>(&message)) {
      state_ = *state;
      const Result<void> written = write_checkpoint(checkpoint_, *state);
      if (!written && !not_kept_)
        std::fprintf(stderr, "warpscope: %s\n", sentence(written.error()).c_str());
      not_kept_ = written ? std::nullopt : std::optional(written.error());
      if (written) kept_step_ = state->step;
    } else if (const auto* part = std::get_if<Latents>(&message)) {
      latents_.push_back(*part);
    } else if (const auto* progress = std::get_if<Progress>(&message)) {
      say(*progress);
    }
  }
  const std::optional<TrainingState>& state() const { return state_; }
  const std::vector<Latents>& latents() const { return latents_; }
  const std::optional<Error>& not_kept() const { return not_kept_; }
  const std::optional<std::int64_t>& kept_step() const { return kept_step_; }
  const fs::path& checkpoint() const { return checkpoint_; }

 private:
  // In place where that is a terminal, which is done already; else a line now and then.
  void say(const Progress& progress) {
    constexpr double kEveryS = 5;
    if (terminal_ || progress.done_ratio == 0 || seconds_since(said_at_) < kEveryS) return;
    std::fprintf(stderr, "warpscope: %s\n", progress.text.c_str());
    said_at_ = std::chrono::steady_clock::now();
  }
  fs::path checkpoint_;
  std::optional<TrainingState> state_;
  std::vector<Latents> latents_;
  std::optional<Error> not_kept_;
  std::optional<std::int64_t> kept_step_;
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point said_at_ = std::chrono::steady_clock::now();
};

const Series* curve(const Session& session, const std::string& name) {
  for (const Series* series : session.outcomes().series()) {
    if (series->name == name) return series;
  }
  return nullptr;
}

std::string value_at(const Series* series, double x) {
  for (std::size_t i = 0; series != nullptr && i < series->x.size(); ++i) {
    if (series->x[i] != x) continue;
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", series->y[i]);
    return text;
  }
  return "–";
}

void print_epochs(const Session& session, const Training& training, const Asked& asked) {
  const Series* test = curve(session, "test");
  if (test == nullptr) return;
  std::printf("%s/%s %s\n", asked.scene->name.c_str(), asked.variant->name.c_str(),
              test->point.key.c_str());
  std::printf("%8s %16s %16s %16s\n", "epoch", "training loss", "held-out loss",
              (training.quality + " " + training.quality_unit).c_str());
  for (const double epoch : test->x) {
    std::printf("%8.0f %*s %16s %16s\n", epoch,
                value_at(curve(session, "train"), epoch) == "–" ? 18 : 16,
                value_at(curve(session, "train"), epoch).c_str(), value_at(test, epoch).c_str(),
                value_at(curve(session, training.quality), epoch).c_str());
  }
}

void print_json(const Session& session) {
  std::string text;
  for (const Series* series : session.outcomes().series())
    text += (text.empty() ? "" : ", ") + to_line(*series);
  std::printf("{\"series\": [%s]}\n", text.c_str());
}

// The files that were asked for, of what there is.
Result<void> export_files(const TrainOptions& options, const Asked& asked,
                          const Following& following, const Session& session) {
  const Training& training = *asked.scene->training;
  if (!options.csv.empty()) {
    if (Result<void> written = write_file(options.csv, curves_csv(session.outcomes().series()));
        !written)
      return written;
  }
  if (!following.state()) return {};
  const Result<Configuration> axes = configured(*asked.scene, asked.variant->name, asked.job.axes);
  if (!axes) return tl::unexpected(axes.error());
  if (!options.export_weights.empty()) {
    if (Result<void> written =
            write_weights(options.export_weights, training, *axes, following.state()->weights);
        !written)
      return written;
  }
  if (options.export_latents.empty() || following.latents().empty()) return {};
  return write_latents(options.export_latents, following.latents());
}

// What the network makes of the codes of a file: nothing is trained, and no engine is asked.
Result<void> decode_codes(const TrainOptions& options, const Asked& asked) {
  const Training& training = *asked.scene->training;
  const bool picture = options.out.ends_with(".png");
  if (!training.decode)
    return failure(ErrorKind::usage, "this scene cannot decode its codes", options.what,
                   "decode autoencoder");
  if (!asked.training().resume)
    return failure(ErrorKind::usage, "codes need the weights that made them", "--decode",
                   "name them: --weights FOLDER or --resume CHECKPOINT");
  if (!picture && !options.out.ends_with(".npy"))
    return failure(ErrorKind::usage, "“" + options.out + "” is neither a picture nor an array",
                   "--out", "name a file that ends in .png or .npy");
  const Result<Configuration> axes = configured(*asked.scene, asked.variant->name, asked.job.axes);
  if (!axes) return tl::unexpected(axes.error());
  const Result<Latents> codes = read_latents(options.decode, training, *axes);
  if (!codes) return tl::unexpected(codes.error());
  if (codes->values.empty())
    return failure(ErrorKind::input, "the file has no codes", options.decode,
                   "write one with --export-latents");
  const auto floats = [](const std::vector<std::uint8_t>& bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  const std::vector<float> inputs =
      training.decode(*axes, floats(asked.training().resume->weights), floats(codes->values));
  std::vector<std::int64_t> shape = training.input_shape(*axes);
  shape.insert(shape.begin(), codes->shape.front());
  if (picture) {
    const Raster raster = training.draw(*axes, inputs);
    return write_png(options.out, raster.rgb.data(), raster.width, raster.height);
  }
  return write_file(options.out,
                    npy_text(ElementType::f32, shape, std::as_bytes(std::span(inputs))));
}

// What a shell gives of a program that Ctrl-C ended: no defect, and not all that was asked for.
constexpr int kInterrupted = 130;

// Whether nothing of a run needs a device: a rung of the processor.
bool on_host_alone(const Asked& asked) {
  const Result<Configuration> axes = configured(*asked.scene, asked.variant->name, asked.job.axes);
  return axes && runs_on_host_alone(*asked.variant, {*axes, {}});
}

int run_train(const TrainOptions& options) {
  const auto catalogue = program_catalogue();
  const Result<Asked> asked = asked_of(*catalogue, options);
  if (!asked) return fail(asked.error());
  if (!options.decode.empty()) {
    const Result<void> decoded = decode_codes(options, *asked);
    return decoded ? 0 : fail(decoded.error());
  }
  Following following(checkpoint_path(options, asked->scene->name));
  if (Result<void> good = admit_checkpoint(following.checkpoint()); !good)
    return fail(good.error());
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session, catalogue);
  if (!file) return fail(file.error());
  bool on_device = false;
  if (!options.emulated && !on_host_alone(*asked)) {
    const Result<bool> device = device_answers(options.engine);
    if (!device) return fail(device.error());
    on_device = *device;
  }
  Session session(catalogue);
  const auto ran = run_jobs(
      on_device ? engine_command(options.engine) : emulator_command(options.engine), {asked->job},
      session, file->get(), [&](const Message& message) { following.see(message); });
  if (options.json) {
    print_json(session);
  } else {
    print_epochs(session, *asked->scene->training, *asked);
  }
  if (following.kept_step()) {
    std::fprintf(stderr, "warpscope: step %s of %s is kept: --resume %s\n",
                 std::to_string(*following.kept_step()).c_str(),
                 std::to_string(following.state()->steps).c_str(),
                 visible_name(following.checkpoint().string()).c_str());
  }
  if (Result<void> written = export_files(options, *asked, following, session); !written)
    return fail(written.error());
  if (!ran && ran.error().interrupted && following.state() && !following.not_kept()) {
    std::fprintf(stderr, "warpscope: %s: interrupted; the training so far is kept\n",
                 ran.error().error.where.c_str());
    return kInterrupted;
  }
  if (!ran) return fail_jobs(ran.error());
  if (following.not_kept()) return exit_status(following.not_kept()->kind);
  for (const auto& [number, job] : session.jobs()) {
    const auto done = session.done(number);
    if (done && done->error) return exit_status(done->error->kind);
  }
  return 0;
}

}  // namespace

void declare_train(CLI::App& command, int& status) {
  auto options = std::make_shared<TrainOptions>();
  command.add_option("scene", options->what, "SCENE or SCENE/VARIANT, a whole training step")
      ->required();
  command.add_option("axes", options->axes,
                     "axis=value; also samples=N and epochs=N of the training");
  command.add_option("--resume", options->resume,
                     "continue from this checkpoint; only the axes lr and epochs may change");
  command.add_option("--checkpoint", options->checkpoint,
                     "file for checkpoints; by default that of --resume, or a new SCENE.checkpoint "
                     "(SCENE-2.checkpoint if that exists)");
  check_range(*command.add_option("--checkpoint-every", options->checkpoint_s,
                                  "seconds between two checkpoints"),
              0, 86400);
  command.add_option("--weights", options->weights,
                     "begin with these weights: raw f32, or a folder of --export-weights");
  command.add_option("--layout", options->layout,
                     "layout of --weights: nchw, [out, in, 3, 3], or nhwc, [out, 3, 3, in]");
  command.add_option("--export-weights", options->export_weights,
                     "write the weights into this folder: raw f32 and .npy");
  command.add_option("--export-latents", options->export_latents,
                     "write the codes of the held-out images as .npy");
  command
      .add_option("--decode", options->decode,
                  "do not train: decode codes from --export-latents to images, with the network of "
                  "--weights or --resume")
      ->needs(
          command.add_option("--out", options->out,
                             "output of --decode: .png for the first 256 images, or .npy for all"));
  command.get_option("--out")->needs("--decode");
  declare_engine_options(command, options->engine);
  command.add_flag("--emulated", options->emulated, "use the emulator even if there is a GPU");
  command.add_option("--session", options->session, "append everything to this .wsj file");
  command.add_option("--csv", options->csv, "write the curves as CSV, one row per value");
  command.add_flag("--json", options->json, "print the curves as JSON");
  command.callback([options, &status] { status = run_train(*options); });
}

}  // namespace warpscope
