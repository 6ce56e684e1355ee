// profiling/engine/measure/warps/step_warps.cpp: what the warps of a bound variant's kernels do and
// when, step by step.
#include "profiling/engine/measure/warps/step_warps.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "profiling/engine/measure/warps/probed_kernel.h"
#include "profiling/figures/metric.h"
#include "profiling/warps/warp_spans.h"

namespace warpscope {
namespace {

constexpr std::int64_t kBufferBytes = 256LL << 20;
constexpr std::int64_t kMostRecords = 400'000;  // of a timeline
constexpr int kMostAttempts = 8;
// What is aimed at when probes are dropped, below what is allowed.
constexpr double kAimedSlowdown = 0.9 * kMostProbeSlowdown;

// What is dropped first: inner loops, then starts of copies and products, outer loops, waits.
constexpr int kRankOfWaits = 3;
int rank_of(const ProbedSpan& span) {
  if (span.kind == SpanKind::loop) return span.depth > 1 ? 0 : 2;
  return is_moment(span.kind) ? 1 : kRankOfWaits;
}

// By place: the mean of its waits in cycles.
std::vector<double> mean_waits(const WarpTimeline& timeline) {
  std::vector<double> cycles(timeline.spans.size()), count(timeline.spans.size());
  for (const SpanSum& sum : sums_of(timeline, roles_of(timeline))) {
    if (sum.type != SpanType::wait) continue;
    const auto k = static_cast<std::size_t>(sum.span);
    cycles[k] += static_cast<double>(sum.cycles);
    count[k] += static_cast<double>(sum.count);
  }
  for (std::size_t k = 0; k < cycles.size(); ++k) cycles[k] /= std::max(1.0, count[k]);
  return cycles;
}

// Drops spans of the first rank until so much of all records is left: the hottest first, of waits
// the shortest first. Waits are dropped only once nothing else is left. Whether there was one to
// drop.
bool drop_some(const std::vector<ProbedSpan>& spans, const std::vector<double>& waits,
               double kept_ratio, std::set<std::size_t>& dropped) {
  std::vector<std::size_t> order;
  double all = 0;
  for (std::size_t k = 0; k < spans.size(); ++k) {
    if (dropped.count(k) != 0 || spans[k].hits == 0) continue;
    order.push_back(k);
    all += static_cast<double>(spans[k].hits);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto place = [&](std::size_t k) {
      const int rank = rank_of(spans[k]);
      return std::tuple(rank, rank == kRankOfWaits ? waits[k] : 0, -spans[k].hits);
    };
    return place(a) < place(b);
  });
  double left = all;
  for (const std::size_t k : order) {
    const bool waits_are_next =
        rank_of(spans[k]) == kRankOfWaits && rank_of(spans[order.front()]) != kRankOfWaits;
    if (left <= kept_ratio * all || waits_are_next) break;
    dropped.insert(k);
    left -= static_cast<double>(spans[k].hits);
  }
  return !order.empty();
}

// Inner loops that are so short that their own probes would make up much of them. Work between
// waits is recorded all the same.
std::set<std::size_t> short_inner_loops(const WarpTimeline& timeline) {
  constexpr double kShortestCycles = 4000;  // a pair of probes takes up to 80
  std::set<std::size_t> found;
  for (const SpanSum& sum : sums_of(timeline, roles_of(timeline))) {
    if (sum.type != SpanType::loop || sum.mean_cycles() >= kShortestCycles) continue;
    const auto k = static_cast<std::size_t>(sum.span);
    if (timeline.spans[k].depth > 1) found.insert(k);
  }
  return found;
}

// Waits that are so long that they hide the store of a record: the longest ones, since each keeps
// two registers of a thread.
std::set<std::size_t> long_waits(const std::vector<double>& mean_waits) {
  constexpr double kShortestCycles = 500;  // a fence waits about 300 for the store of a probe
  constexpr std::size_t kMostPlaces = 4;
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < mean_waits.size(); ++k) {
    if (mean_waits[k] >= kShortestCycles) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return mean_waits[a] > mean_waits[b]; });
  if (order.size() > kMostPlaces) order.resize(kMostPlaces);
  return {order.begin(), order.end()};
}

// PTX is made for compute capability 9.0.
void aim_at(std::string& ptx, int compute_capability) {
  const std::string target = ".target sm_90";
  const std::size_t at = ptx.find(target);
  if (compute_capability < 90 && at != std::string::npos)
    ptx.replace(at, target.size(), ".target sm_" + std::to_string(compute_capability));
}

class StepRecording {
 public:
  StepRecording(MeasuringTools& tools, Stage& stage, const Stage::Bound& bound, std::size_t at,
                const WarpsJob& asked, const JobChannel& channel)
      : tools_(tools),
        stage_(stage),
        bound_(bound),
        at_(at),
        asked_(asked),
        channel_(channel),
        step_(bound.run[at]),
        launch_(std::get<KernelLaunch>(step_.step().action)) {}

  Result<WarpTimeline> record() {
    Result<CompiledPtx> ptx = tools_.kernels->ptx_of(launch_);
    if (!ptx) return tl::unexpected(ptx.error());
    aim_at(ptx->ptx, tools_.device->description().compute_capability);
    const Dim3 &grid = launch_.launch.grid, &block = launch_.launch.block;
    made_.blocks = grid.x * grid.y * grid.z;
    made_.warps_per_block = static_cast<int>((block.x * block.y * block.z + 31) / 32);
    setup_ = probe_setup(made_.blocks, made_.warps_per_block, kBufferBytes);
    made_.step = step_.step().name;
    made_.entry = launch_.entry;
    made_.source = launch_.source;
    made_.plain_registers = step_.kernel().resources.registers_per_thread;
    Result<double> plain = time_ns([this](CUstream s) { return step_.run(s); });
    if (!plain) return tl::unexpected(plain.error());
    made_.plain_ns = *plain;
    if (Result<void> done = attempts(*ptx); !done) return tl::unexpected(done.error());
    explain();
    return std::move(made_);
  }

 private:
  // Probes at all places, first to see which lanes pass them, then at fewer places while the kernel
  // is too slow.
  Result<void> attempts(const CompiledPtx& ptx) {
    ProbeChoice choice;
    if (Result<void> done = attempt(choice, ptx); !done) return done;
    choice.elected = other_lanes_;
    const std::set<std::size_t> short_loops =
        asked_.all ? std::set<std::size_t>{} : short_inner_loops(made_);
    choice.dropped = short_loops;
    short_loops_ = short_loops.size();
    const std::vector<double> waits = mean_waits(made_);
    choice.late = long_waits(waits);
    const std::vector<ProbedSpan> all = made_.spans;
    for (int times = 0; times < kMostAttempts; ++times) {
      if (Result<void> done = attempt(choice, ptx); !done) return done;
      for (std::size_t k = 0; k < all.size(); ++k) {
        made_.spans[k].hits = all[k].hits;
        made_.spans[k].warps = all[k].warps;
      }
      if (times == 0) made_.all_probes_ns = made_.probed_ns;
      const double slowdown = made_.slowdown_ratio();
      if (asked_.all || made_.spans.empty() || slowdown <= kMostProbeSlowdown || bare_slowdown_ > 0)
        break;
      if (!choice.late.empty()) {
        choice.late.clear();  // their registers may be what makes the kernel slow
        continue;
      }
      if (!drop_some(made_.spans, waits, kAimedSlowdown / slowdown, choice.dropped)) {
        // Nothing is left to drop: what every recorded warp says of itself is too much alone.
        bare_slowdown_ = slowdown;
        choice.dropped = short_loops;
      }
    }
    return {};
  }

  Result<ProbedPtx> probed_ptx(const CompiledPtx& ptx, const ProbeChoice& choice) const {
    return with_probes(ptx.ptx, ptx.entry,
                       {asked_.waits, asked_.barriers, asked_.loops, asked_.lines}, choice);
  }

  Result<void> attempt(const ProbeChoice& choice, const CompiledPtx& ptx) {
    if (channel_.interrupted()) return failure(ErrorKind::usage, "cancelled", "warps");
    Result<ProbedPtx> probed = probed_ptx(ptx, choice);
    if (!probed) return tl::unexpected(probed.error());
    calls_ = probed->calls;
    made_.spans = std::move(probed->spans);
    return one_attempt(probed->ptx, ptx.entry);
  }

  Result<void> one_attempt(const std::string& ptx, const std::string& entry) {
    const Result<std::unique_ptr<ProbedKernel>> kernel =
        ProbedKernel::load(*tools_.device, step_, ptx, entry, setup_, made_.warps_per_block);
    if (!kernel) return tl::unexpected(kernel.error());
    made_.probed_registers = (*kernel)->registers();
    const auto probed = [&](CUstream s) { return (*kernel)->launch(s); };
    if (Result<void> copied = (*kernel)->copy_variables(tools_.device->stream()); !copied)
      return copied;
    // The clock may have changed since: the kernel itself is timed again, before and after.
    const Result<double> before = time_ns([this](CUstream s) { return step_.run(s); });
    if (!before) return tl::unexpected(before.error());
    const Result<double> ns = time_ns(probed);
    if (!ns) return tl::unexpected(ns.error());
    const Result<double> after = time_ns([this](CUstream s) { return step_.run(s); });
    if (!after) return tl::unexpected(after.error());
    made_.plain_ns = (*before + *after) / 2;
    made_.probed_ns = *ns;
    Result<ReadWarps> read = recorded(**kernel);
    if (!read) return tl::unexpected(read.error());
    other_lanes_ = std::move(read->other_lanes);
    made_.rows = std::move(read->rows);
    made_.clock_hz = read->clock_hz;
    made_.aligned_within_ns = read->aligned_within_ns;
    count_hits();
    return {};
  }

  // One launch of a kernel with probes, and what they noted.
  Result<ReadWarps> recorded(const ProbedKernel& kernel) {
    const CUstream stream = tools_.device->stream();
    const auto launch = [&](bool recording) {
      return kernel.set_recording(recording)
          .and_then([&] { return ready(); })
          .and_then([&] { return kernel.copy_variables(stream); })
          .and_then([&] { return kernel.launch(stream); })
          .and_then([&] { return tools_.device->synchronise("probes"); });
    };
    // Emptying the buffers leaves nothing of the kernel in L2, and the kernel itself nothing of
    // the probed code in the instruction caches: the probed kernel runs before, without recording.
    const Result<void> ran = kernel.clear(stream)
                                 .and_then([&] { return tools_.device->synchronise("probes"); })
                                 .and_then([&] { return launch(false); })
                                 .and_then([&] { return launch(false); })
                                 .and_then([&] { return launch(true); });
    if (!ran) return tl::unexpected(ran.error());
    return kernel.read();
  }

  void count_hits() {
    for (const WarpRow& row : made_.rows) {
      for (const WarpRecord& at : row.records) {
        if (at.span() >= made_.spans.size()) continue;
        ++made_.spans[at.span()].hits;
        made_.spans[at.span()].warps |= 1U << row.warp % 32;
      }
    }
  }

  // The median of one launch, with what must run before it.
  Result<double> time_ns(const Timer::Run& run) {
    const StoppingLimits limits{
        .minimum_samples = 15, .minimum_total_ns = 5e6, .time_limit_s = 0.3};
    Timer::Before before;
    if (needs_ready()) before = [this] { return ready(); };
    Result<Timing> timing = tools_.timer->sample(
        CacheState::warm, run, limits, [&] { return channel_.interrupted(); }, before);
    if (!timing) return tl::unexpected(timing.error());
    made_.launches = static_cast<int>(timing->samples_ns.size()) * timing->runs_per_sample;
    const std::vector<double> samples(timing->samples_ns.begin(), timing->samples_ns.end());
    return quantile(samples, 0.5);
  }

  bool needs_ready() const {
    const std::vector<BufferSpec> specs = stage_.scene().buffers(stage_.workload());
    return at_ > 0 || std::any_of(specs.begin(), specs.end(), [](const BufferSpec& spec) {
             return spec.role == BufferRole::state;
           });
  }
  Result<void> ready() {
    return needs_ready() ? run_before(stage_, bound_, at_, tools_.device->stream())
                         : Result<void>{};
  }

  void explain() {
    std::vector<std::string>& notes = made_.notes;
    if (made_.spans.empty())
      notes.emplace_back(
          "The kernel has no barrier, no asynchronous wait and no loop at which a probe could be "
          "put.");
    std::int64_t records = 0;
    std::size_t rows = 0;
    const auto per_block = static_cast<std::size_t>(std::max(1, made_.warps_per_block));
    for (; rows < made_.rows.size(); ++rows) {
      records += static_cast<std::int64_t>(made_.rows[rows].records.size());
      if (records > kMostRecords && rows >= per_block) break;
    }
    if (rows < made_.rows.size()) made_.rows.resize(rows / per_block * per_block);
    const std::int64_t recorded = made_.recorded_blocks();
    if (recorded < made_.blocks) {
      notes.push_back("The first " + grouped(recorded) + " of " + grouped(made_.blocks) +
                      " blocks are recorded.");
    }
    if (bare_slowdown_ > 0) {
      notes.push_back("The kernel is so short that its warps' own beginnings and ends make it " +
                      format_value(bare_slowdown_, "ratio") +
                      " slower, so no probes were dropped for slowness.");
    }
    if (calls_) notes.emplace_back("Functions that the kernel calls have no probes.");
    std::int64_t lost = 0;
    for (const WarpRow& row : made_.rows) lost += row.lost;
    if (lost > 0) {
      notes.push_back(grouped(lost) + " records found no room: the ends of " +
                      "long-lived warps are missing.");
    }
    const auto dropped = std::count_if(made_.spans.begin(), made_.spans.end(),
                                       [](const ProbedSpan& span) { return span.dropped; });
    if (short_loops_ > 0) {
      notes.push_back("Inner loops of less than 4 000 cycles have no probes: " +
                      grouped(static_cast<std::int64_t>(short_loops_)) + " of " +
                      grouped(static_cast<std::int64_t>(made_.spans.size())) + " places.");
    }
    if (dropped > static_cast<std::int64_t>(short_loops_)) {
      notes.push_back(grouped(dropped - static_cast<std::int64_t>(short_loops_)) + " of " +
                      grouped(made_.spans.size()) +
                      " places have no probes, because with them the kernel was " +
                      format_value(made_.all_probes_ns / made_.plain_ns - 1, "ratio") + " slower.");
    }
  }

  MeasuringTools& tools_;
  Stage& stage_;
  const Stage::Bound& bound_;
  std::size_t at_;
  const WarpsJob& asked_;
  const JobChannel& channel_;
  const BoundStep& step_;
  const KernelLaunch& launch_;
  ProbeSetup setup_;
  WarpTimeline made_;
  bool calls_ = false;
  std::set<std::uint32_t> other_lanes_;  // probes that other lanes than 0 passed
  std::size_t short_loops_ = 0;
  double bare_slowdown_ = 0;  // of the kernel without any probe but those at its beginning and end
};

}  // namespace

Result<void> record_warps(MeasuringTools& tools, Stage& stage, const Job& job,
                          const JobChannel& channel, Stage::Bound& bound, const Measurement& m) {
  const WarpsJob& asked = *job.as<WarpsJob>();
  bool any = false;
  for (std::size_t at = 0; at < bound.run.size(); ++at) {
    const Step& step = bound.run[at].step();
    if (!std::holds_alternative<KernelLaunch>(step.action) ||
        (!asked.step.empty() && step.name != asked.step))
      continue;
    any = true;
    channel.send(Progress{job.job, static_cast<double>(at) / static_cast<double>(bound.run.size()),
                          "probes: " + step.name});
    Result<WarpTimeline> timeline = StepRecording(tools, stage, bound, at, asked, channel).record();
    if (!timeline) return tl::unexpected(timeline.error());
    note_origin(*timeline, job, m);
    channel.send(std::move(*timeline));
  }
  if (any) return {};
  return failure(ErrorKind::usage,
                 asked.step.empty() ? "the variant launches no kernel of its own"
                                    : "the variant has no kernel step " + asked.step,
                 job.scene + "/" + job.variant, "name a kernel step of the variant");
}

}  // namespace warpscope
