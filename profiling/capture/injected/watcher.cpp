// profiling/capture/injected/watcher.cpp: every launch of a program, counted, and the chosen ones
// taken.
#include "profiling/capture/injected/watcher.h"

#include <unistd.h>

#include <cstring>
#include <exception>
#include <fstream>

#include "scenes/host/clock.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kReportEvery{100};
constexpr std::chrono::milliseconds kListenEvery{20};

// What this thread has between `before` and `after`.
struct OwnLaunch {
  bool taking = false;
};
thread_local OwnLaunch own;

// What a launch that is being taken answers. Memory of the host may be short.
template <typename Take>
auto without_exceptions(Take&& take) -> decltype(take()) {
  try {
    return take();
  } catch (const std::exception& e) {
    return failure(ErrorKind::resource, std::string("the program has no room for it: ") + e.what());
  }
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

Watcher::Watcher(CaptureDriver driver, CaptureSettings settings)
    : driver_(driver), settings_(std::move(settings)), clock_(driver_) {
  reports_.open(settings_.socket);
  reports_.send(StartReport{::getpid(), command_line()});
  Result<LaunchSelection> selection = LaunchSelection::of(settings_);
  if (selection) {
    parts_.wanted = *selection;
    selection_ = std::move(*selection);
  } else {
    trouble(selection.error());
  }
}

void Watcher::trouble(const Error& error, bool stops) {
  const std::lock_guard lock(mutex_);
  if (!stops) return reports_.send(NoteReport{error.what});
  reports_.send(TroubleReport{error.what, error.remedy});
  working_ = false;
}

const char* Watcher::symbol_of(CUfunction function) const {
  const char* name = nullptr;
  if (!working_ || driver_.cuFuncGetName == nullptr ||
      driver_.cuFuncGetName(&name, real_function(driver_, function)) != CUDA_SUCCESS)
    return nullptr;
  return name;
}

void Watcher::before(const SeenLaunch& launch, const std::string& range) {
  own = {};
  LaunchClock::forget();
  if (launch.symbol == nullptr || !working_) return;
  std::unique_lock lock(mutex_);
  const Tally::Place place = tally_.count(launch.symbol, launch.launch, range);
  if (settings_.live) listen();
  const std::int64_t request = asked_for(launch, range);
  if (request > 0) {
    take(launch, range, place.number, request);
    if (own.taking) lock.release();  // `after` unlocks
  } else if (selection_->takes(launch.symbol, launch.launch, range)) {
    take(launch, range, place.number, 0);
    if (own.taking) lock.release();
  } else if (settings_.times && place.number > 1) {
    // A kernel's first launch may load its code, which takes a thousand times as long as it runs.
    clock_.start(launch, place);
  }
  report(false);
}

void Watcher::listen() {
  const Clock::time_point now = Clock::now();
  if (now - listened_at_ < kListenEvery) return;
  listened_at_ = now;
  for (const CaptureRequest& request : reports_.received()) hear(request);
}

void Watcher::hear(const CaptureRequest& request) {
  if (const auto* stop = std::get_if<StopRequest>(&request)) {
    taking_.stopped |= own.taking && taking_.report.request == stop->id;
    std::erase_if(asked_, [&](const Asked& asked) { return asked.request.id == stop->id; });
    return;
  }
  const auto& take = std::get<TakeRequest>(request);
  constexpr std::size_t kMostAsked = 64;
  if (take.id <= last_request_ || asked_.size() >= kMostAsked) return;
  last_request_ = take.id;
  CaptureSettings settings;
  settings.take = true;
  settings.symbol = take.symbol;
  settings.kernel = take.kernel;
  settings.range = take.range;
  Result<LaunchSelection> selection = LaunchSelection::of(settings);
  if (selection) return asked_.push_back({take, std::move(*selection)});
  reports_.send(RefusedReport{"", 0, selection.error().what, selection.error().remedy, take.id});
}

std::int64_t Watcher::asked_for(const SeenLaunch& launch, const std::string& range) {
  for (auto asked = asked_.begin(); asked != asked_.end(); ++asked) {
    const std::optional<Launch>& like = asked->request.like;
    if (like && !same_shape(*like, launch.launch)) continue;
    if (!asked->selection.takes(launch.symbol, launch.launch, range)) continue;
    const std::int64_t id = asked->request.id;
    asked_.erase(asked);
    return id;
  }
  return 0;
}

bool Watcher::says_progress(std::uint64_t done_bytes, std::uint64_t of_bytes) {
  const Clock::time_point now = Clock::now();
  if (now - progressed_at_ < kReportEvery) return !taking_.stopped;
  progressed_at_ = now;
  reports_.send(ProgressReport{taking_.report.name, taking_.report.request, done_bytes, of_bytes});
  for (const CaptureRequest& request : reports_.received()) hear(request);
  return !taking_.stopped;
}

void Watcher::take(const SeenLaunch& launch, const std::string& range, std::int64_t number,
                   std::int64_t request) {
  held_since_ = Clock::now();
  const std::string file = settings_.folder + "/" + std::to_string(::getpid()) + "-" +
                           std::to_string(++files_) + ".wcap";
  taking_.report = {file,         demangled_name(launch.symbol), range, number, 0, 0, request,
                    launch.symbol};
  taking_.stopped = false;
  own.taking = true;
  LaunchPlace place{file, range, number, nullptr};
  if (settings_.live) {
    place.progress = [this](std::uint64_t done, std::uint64_t of) {
      return says_progress(done, of);
    };
  }
  Result<TakenLaunch> taken = without_exceptions(
      [&] { return TakenLaunch::begin(driver_, parts_, settings_, launch, place); });
  own.taking = taken.has_value();
  if (!taken) return refuse(taken.error());
  taking_.launch.emplace(std::move(*taken));
}

void Watcher::refuse(const Error& error) {
  reports_.send(RefusedReport{taking_.report.name, taking_.report.number, error.what, error.remedy,
                              taking_.report.request});
  if (taking_.report.request != 0) return;
  selection_->missed();
  // A program that launches such a kernel again and again would be held for hours.
  constexpr int kMostWaitsInVain = 3;
  if (milliseconds_since(held_since_) < 1000 * settings_.limit_s ||
      ++taking_.waits_in_vain < kMostWaitsInVain)
    return;
  selection_->give_up();
  reports_.send(NoteReport{"the time limit (--hold) has passed for " +
                           std::to_string(kMostWaitsInVain) +
                           " launches, so that no other one is tried"});
}

void Watcher::after(bool made) {
  clock_.stop();
  if (!own.taking) return;
  const std::lock_guard held(mutex_, std::adopt_lock);  // `before` has locked it
  const Result<std::uint64_t> bytes =
      made ? without_exceptions([this] { return taking_.launch->end(); })
           : Result<std::uint64_t>(failure(ErrorKind::fault, "the driver refused the launch"));
  own.taking = false;
  if (bytes) {
    taking_.report.file_bytes = *bytes;
    taking_.report.held_ms = milliseconds_since(held_since_);
    reports_.send(taking_.report);
  } else {
    refuse(bytes.error());
  }
  taking_.launch.reset();
  report(true);
}

void Watcher::report(bool now) {
  if (!now && Clock::now() - reported_at_ < kReportEvery) return;
  reported_at_ = Clock::now();
  clock_.collect(tally_);
  Tally::Changes changes = tally_.changes();
  reports_.send(LaunchesReport{::getpid(), std::move(changes.rows), graph_launches_,
                               std::move(changes.spans)});
}

void Watcher::graph_launched() {
  if (!working_) return;
  const std::lock_guard lock(mutex_);
  ++graph_launches_;
}

void Watcher::loaded(std::uint32_t module, std::string_view cubin) {
  if (!working_) return;
  parts_.code.loaded(module, cubin,
                     [this](const std::string& symbol) { return parts_.wanted->names(symbol); });
}

void Watcher::unloaded(std::uint32_t module) {
  if (working_) parts_.code.unloaded(module);
}

void Watcher::dropped(const void* handle) {
  if (working_) parts_.code.dropped(handle);
}

void Watcher::given(const void* handle, const void* image, std::vector<std::uint32_t> modules) {
  if (!working_) return;
  constexpr std::uint32_t kWrapper = 0x466243b1;
  std::uint32_t magic = 0;
  if (image != nullptr) std::memcpy(&magic, image, sizeof magic);
  parts_.code.given(handle, image_bytes(image), magic == kWrapper, std::move(modules));
}

void Watcher::end() {
  // A thread that is inside a capture does not hold the end of the program.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  if (working_) report(true);
  reports_.send(EndReport{});
  reports_.close();
  working_ = false;
}

void Watcher::forked() {
  reports_.forget();
  working_ = false;
}

}  // namespace warpscope
