// profiling/engine/training/learning.cpp: one training, from its first step to its last, in slices.
#include "profiling/engine/training/learning.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "profiling/figures/metric.h"
#include "profiling/points/outcome_messages.h"
#include "scenes/host/clock.h"
#include "scenes/host/random.h"

namespace warpscope {
namespace {

constexpr double kCurvesEveryS = 0.25, kProgressEveryS = 0.25, kPicturesEveryS = 4;
constexpr std::int64_t kMostPoints = 20000;  // of a curve

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

std::vector<float> floats_of(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

std::map<std::string, std::string> texts_of(const Configuration& axes) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : axes.values()) texts[name] = to_text(value);
  return texts;
}

const TrainJob& training_of(const Job& job) { return std::get<TrainJob>(job.work); }

}  // namespace

bool is_on_curve(std::int64_t step, std::int64_t every) {
  const auto stretch = static_cast<std::uint64_t>((step - 1) / every);
  const std::uint64_t place = RandomStream(0, 0).below(stretch, static_cast<std::uint64_t>(every));
  return static_cast<std::uint64_t>((step - 1) % every) == place;
}

std::string diverged(std::int64_t step, double loss, double first_loss, double rate) {
  constexpr double kMostGrowth = 100;
  const std::string where =
      " at step " + std::to_string(step) + ", with a learning rate of " + to_text(AxisValue(rate));
  if (!std::isfinite(loss)) return "the loss became NaN or infinite" + where;
  if (loss > kMostGrowth * first_loss) {
    return "the loss grew to " + format_value(loss, "1") + where + ": " +
           format_value(loss / first_loss, "1") + " times that of the first step";
  }
  return "";
}

Result<std::unique_ptr<Learning>> Learning::begin(const Job& job, const Scene& scene,
                                                  const Variant& variant,
                                                  const OpenTrainingPlace& open) {
  std::unique_ptr<Learning> learning(new Learning(job, scene, variant));
  if (Result<void> prepared = learning->prepare(open); !prepared)
    return tl::unexpected(prepared.error());
  return learning;
}

Result<void> Learning::prepare(const OpenTrainingPlace& open) {
  const Result<Configuration> settings = with_values(
      training_.axes, default_configuration(training_.axes), training_of(job_).training);
  if (!settings) return tl::unexpected(settings.error());
  std::map<std::string, std::string> changes = job_.axes;
  for (const auto& setting : training_.settings) changes.insert(setting);
  const Result<Configuration> axes = configured(scene_, variant_.name, changes);
  if (!axes) return tl::unexpected(axes.error());
  if (Result<void> admitted = scene_.admit(*axes); !admitted) return admitted;
  Result<TrainingSet> set = training_.open(*axes, settings->integer("samples"));
  if (!set) return tl::unexpected(set.error());
  set_ = std::move(*set);
  Result<std::unique_ptr<TrainingPlace>> place = open(job_, scene_, variant_, *axes);
  if (!place) return tl::unexpected(place.error());
  place_ = std::move(*place);
  batch_ = axes->integer(training_.batch);
  state_.job = job_.job;
  state_.scene = scene_.name;
  state_.variant = variant_.name;
  for (const auto& [name, text] : texts_of(*axes)) {
    if (applies(*find_axis(scene_.axes, name), *axes)) state_.axes[name] = text;
  }
  state_.settings = texts_of(*settings);
  state_.steps = batches() * settings->integer("epochs");
  every_ = (state_.steps + kMostPoints - 1) / kMostPoints;
  curves_ = {{"loss", "loss of each step", "step", "1", {}, {}},
             {"train", "training loss", "epoch", "1", {}, {}},
             {"test", "held-out loss", "epoch", "1", {}, {}},
             {training_.quality, training_.quality_label, "epoch", training_.quality_unit, {}, {}},
             {kEpochTime, "time of an epoch's steps", "step", "s", {}, {}}};
  return training_of(job_).resume ? take_weights() : Result<void>{};
}

Result<void> Learning::take_weights() {
  const TrainingState& from = *training_of(job_).resume;
  const auto wanted =
      static_cast<std::size_t>(weight_count(training_, place_->workload().axes)) * sizeof(float);
  if (from.weights.size() != wanted) {
    return failure(ErrorKind::usage,
                   "the weights have " + std::to_string(from.weights.size()) + " bytes, and " +
                       std::to_string(wanted) + " are expected",
                   scene_.name + "/" + variant_.name,
                   "choose the axes that they were trained with");
  }
  if (from.step < 0 || from.step > state_.steps) {
    return failure(ErrorKind::usage,
                   "the checkpoint is of step " + std::to_string(from.step) +
                       ", and the training has " + std::to_string(state_.steps),
                   scene_.name + "/" + variant_.name, "raise epochs");
  }
  of_weights_ = from.step == 0;
  state_.step = from.step;
  state_.epoch = from.step / batches();
  state_.epoch_loss = from.epoch_loss;
  state_.first_loss = from.first_loss;
  for (Curve& curve : curves_) curve.sent = from.step > 0;
  const std::vector<float> values = training_.to_buffer(
      variant_, place_->workload(), floats_of(std::as_bytes(std::span(from.weights))));
  return place_->write(training_.weights(variant_, place_->workload()), bytes_of(values));
}

Result<bool> Learning::slice(const JobChannel& channel) {
  slice_began_ = Clock::now();
  const auto over = [&](Result<bool> result) {
    busy_s_ += seconds_since(slice_began_);
    return result;
  };
  if (!begun_) {
    if (channel.interrupted()) return over(end(channel, true));
    curves_at_ = progress_at_ = pictures_at_ = state_at_ = Clock::now();
    const Result<Ran> looked = state_.step % batches() == 0 ? end_epoch(channel) : Ran::whole;
    if (!looked) return over(tl::unexpected(looked.error()));
    if (*looked == Ran::interrupted) return over(end(channel, true));
    begun_ = true;
    send_curves(channel, true);  // there is something to see at once
  }
  while (state_.step < state_.steps) {
    if (channel.interrupted()) return over(end(channel, true));
    const Result<Ran> ran = step(channel);
    if (!ran) return over(tl::unexpected(ran.error()));
    if (*ran == Ran::interrupted) return over(end(channel, true));
    if (state_.step < state_.steps && channel.others_wait() && !channel.interrupted()) {
      send_curves(channel, true);
      return over(false);
    }
  }
  return over(end(channel, false));
}

Result<Learning::Ran> Learning::run_batch(const JobChannel& channel, std::int64_t first,
                                          bool loss_alone, double& loss) {
  std::vector<float> values;
  for (const BufferSpec& buffer : scene_.buffers(place_->workload())) {
    if (buffer.name == training_.input) values.resize(static_cast<std::size_t>(buffer.count));
  }
  set_.fill(first, values);
  if (Result<void> written = place_->write(training_.input, bytes_of(values)); !written)
    return tl::unexpected(written.error());
  const Result<bool> ran = place_->run(loss_alone, channel.interrupted);
  if (!ran) return tl::unexpected(ran.error());
  if (!*ran) return Ran::interrupted;
  const Result<std::vector<std::byte>> read = place_->read(training_.loss);
  if (!read) return tl::unexpected(read.error());
  loss = floats_of(*read).front();
  return Ran::whole;
}

Result<Learning::Ran> Learning::step(const JobChannel& channel) {
  const std::int64_t in_epoch = state_.step % batches();
  double loss = 0;
  const Clock::time_point began = Clock::now();
  const Result<Ran> ran = run_batch(channel, in_epoch * batch_, false, loss);
  if (!ran || *ran == Ran::interrupted) return ran;
  if (in_epoch == 0) epoch_s_ = 0, epoch_steps_ = 0;
  epoch_s_ += seconds_since(began);
  ++epoch_steps_;
  ++own_steps_;
  ++state_.step;
  if (state_.step == 1) state_.first_loss = loss;
  const double rate = place_->workload().real(training_.rate);
  if (std::string why = diverged(state_.step, loss, state_.first_loss, rate); !why.empty()) {
    send_curves(channel, false);
    std::string remedy = "lower " + training_.rate + "; the last checkpoint is from before that";
    if (of_weights_)
      remedy += "; or, if the weights that it began with are " + training_.other_layout +
                " and were taken as [out, in, 3, 3] or the other way round, name their layout";
    return failure(ErrorKind::input, why + ": training stopped", variant_.name, remedy);
  }
  state_.epoch_loss = in_epoch == 0 ? loss : state_.epoch_loss + loss;
  if (is_on_curve(state_.step, every_)) add_point("loss", static_cast<double>(state_.step), loss);
  if (state_.step % batches() == 0) {
    state_.epoch = state_.step / batches();
    if (const Result<Ran> ended = end_epoch(channel); !ended || *ended == Ran::interrupted)
      return ended;
  } else if (seconds_since(pictures_at_) >= kPicturesEveryS) {
    double unused = 0;
    const Result<Ran> looked = run_batch(channel, set_.samples, true, unused);
    if (!looked || *looked == Ran::interrupted) return looked;
    if (Result<void> sent = send_pictures(channel); !sent) return tl::unexpected(sent.error());
  }
  if (seconds_since(curves_at_) >= kCurvesEveryS) send_curves(channel, true);
  if (seconds_since(progress_at_) >= kProgressEveryS) send_progress(channel);
  if (seconds_since(state_at_) >= training_of(job_).checkpoint_s) {
    if (Result<void> sent = send_state(channel); !sent) return tl::unexpected(sent.error());
  }
  return Ran::whole;
}

Result<Learning::Ran> Learning::end_epoch(const JobChannel& channel) {
  const bool last = state_.step == state_.steps;
  const bool pictures = last || !begun_ || seconds_since(pictures_at_) >= kPicturesEveryS / 4;
  double loss = 0;
  const Result<Ran> looked = look_at_held_out(channel, pictures, loss);
  if (!looked || *looked == Ran::interrupted) return looked;
  const auto epoch = static_cast<double>(state_.epoch);
  if (state_.epoch > 0)
    add_point("train", epoch, state_.epoch_loss / static_cast<double>(batches()));
  // For a whole epoch alone: what another process ran of it took its own time.
  if (epoch_steps_ == batches()) add_point(kEpochTime, static_cast<double>(state_.step), epoch_s_);
  epoch_steps_ = 0;
  add_point("test", epoch, loss);
  add_point(training_.quality, epoch, training_.quality_of(loss));
  return Ran::whole;
}

Result<Learning::Ran> Learning::look_at_held_out(const JobChannel& channel, bool pictures,
                                                 double& loss) {
  loss = 0;
  const std::int64_t count = set_.held_out / batch_;
  for (std::int64_t b = 0; b < count; ++b) {
    if (channel.interrupted()) return Ran::interrupted;
    double of_batch = 0;
    const Result<Ran> ran = run_batch(channel, set_.samples + b * batch_, true, of_batch);
    if (!ran || *ran == Ran::interrupted) return ran;
    loss += of_batch / static_cast<double>(count);
    if (b > 0 || !pictures) continue;
    if (Result<void> sent = send_pictures(channel); !sent) return tl::unexpected(sent.error());
  }
  return Ran::whole;
}

Result<void> Learning::send_pictures(const JobChannel& channel) {
  pictures_at_ = Clock::now();
  for (const TrainingPicture& picture : training_.pictures) {
    std::map<std::string, std::vector<std::byte>> kept;
    HostBuffers buffers;
    for (const std::string& name : picture.reads) {
      Result<std::vector<std::byte>> bytes = place_->read(name);
      if (!bytes) return tl::unexpected(bytes.error());
      buffers[name] = kept[name] = std::move(*bytes);
    }
    Raster raster = picture.draw(place_->workload(), variant_, buffers);
    channel.send(Picture{job_.job, place_->point(), picture.name,
                         picture.caption + " · step " + std::to_string(state_.step), raster.width,
                         raster.height, std::move(raster.rgb)});
  }
  return {};
}

Result<Learning::Ran> Learning::send_latents(const JobChannel& channel) {
  for (std::int64_t first = 0; first < set_.held_out; first += batch_) {
    double unused = 0;
    const Result<Ran> ran = run_batch(channel, set_.samples + first, true, unused);
    if (!ran || *ran == Ran::interrupted) return ran;
    const Result<std::vector<std::byte>> read = place_->read(training_.latents);
    if (!read) return tl::unexpected(read.error());
    const std::vector<float> values =
        training_.latents_from_buffer(variant_, place_->workload(), floats_of(*read));
    Latents latents{job_.job, first, {batch_}, {}};
    for (const std::int64_t extent : training_.latent_shape(place_->workload().axes))
      latents.shape.push_back(extent);
    latents.values.resize(values.size() * sizeof(float));
    std::memcpy(latents.values.data(), values.data(), latents.values.size());
    channel.send(std::move(latents));
  }
  return Ran::whole;
}

Result<void> Learning::send_state(const JobChannel& channel) {
  // A training that resumes from this state does not report what was before it.
  if (begun_ && state_.step < state_.steps) send_curves(channel, true);
  state_at_ = Clock::now();
  const Workload& workload = place_->workload();
  const Result<std::vector<std::byte>> read = place_->read(training_.weights(variant_, workload));
  if (!read) return tl::unexpected(read.error());
  const std::vector<float> values = training_.from_buffer(variant_, workload, floats_of(*read));
  TrainingState state = state_;
  state.weights.resize(values.size() * sizeof(float));
  std::memcpy(state.weights.data(), values.data(), state.weights.size());
  channel.send(std::move(state));
  return {};
}

void Learning::send_progress(const JobChannel& channel) {
  progress_at_ = Clock::now();
  const double seconds = busy_s_ + seconds_since(slice_began_);
  const double rate = seconds > 0 ? static_cast<double>(own_steps_) / seconds : 0;
  const auto left = static_cast<double>(state_.steps - state_.step);
  std::string text = "epoch " + std::to_string(state_.step / batches() + 1) + " of " +
                     std::to_string(state_.steps / batches()) + " · step " +
                     std::to_string(state_.step) + " of " + std::to_string(state_.steps);
  if (rate > 0) {
    text += " · " + format_value(rate, "1") + " steps/s · about " +
            format_value(1e9 * left / rate, "ns") + " left";
  }
  channel.send(Progress{
      job_.job, static_cast<double>(state_.step) / static_cast<double>(state_.steps), text});
}

void Learning::add_point(const std::string& curve, double x, double y) {
  if (!std::isfinite(y)) return;
  for (Curve& one : curves_) {
    if (one.name != curve) continue;
    one.x.push_back(x);
    one.y.push_back(y);
  }
}

void Learning::send_curves(const JobChannel& channel, bool goes_on) {
  curves_at_ = Clock::now();
  for (Curve& curve : curves_) {
    // The first message takes the place of an earlier training's curve, and the last one says that
    // the curve is whole, though either may add nothing.
    if (curve.x.empty() && goes_on && curve.sent) continue;
    Series series{job_.job,    place_->point(), curve.name, curve.label,
                  curve.along, curve.unit,      {},         {}};
    series.x = std::exchange(curve.x, {});
    series.y = std::exchange(curve.y, {});
    series.partial = goes_on;
    series.continues = std::exchange(curve.sent, true);
    channel.send(std::move(series));
  }
}

Result<bool> Learning::end(const JobChannel& channel, bool interrupted) {
  // First what could be lost.
  if (Result<void> sent = send_state(channel); !sent) return tl::unexpected(sent.error());
  if (begun_) send_curves(channel, false);
  if (interrupted) return true;
  if (training_of(job_).latents) {
    if (const Result<Ran> sent = send_latents(channel); !sent) return tl::unexpected(sent.error());
  }
  if (set_.dropped > 0) {
    channel.send(LogLine{"info",
                         std::to_string(set_.dropped) + " of the samples fill no batch of " +
                             std::to_string(batch_) + " and were left out",
                         job_.job});
  }
  return true;
}

}  // namespace warpscope
