// workbench/client/captures/live_capture.cpp: a program that is watched while it runs, and the
// launches of it that a person takes meanwhile.
#include "workbench/client/captures/live_capture.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <utility>

#include "profiling/capture/selection.h"
#include "profiling/figures/metric.h"
#include "scenes/base/plural.h"
#include "scenes/host/program.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostMessages = 1000;

std::string joined(const std::string& why, const std::string& remedy) {
  return remedy.empty() ? why : why + "; " + remedy;
}

}  // namespace

LiveCapture::LiveCapture(LiveRequest request, WatchedProgram program)
    : request_(std::move(request)), program_(std::move(program)) {}

LiveCapture::~LiveCapture() {
  if (packing_.valid()) packing_.wait();
}

Result<std::unique_ptr<LiveCapture>> LiveCapture::start(LiveRequest request) {
  std::error_code failed;
  request.folder = fs::absolute(request.folder.empty() ? "." : request.folder, failed);
  if (!fs::is_directory(request.folder, failed))
    return failure(ErrorKind::usage, "there is no such folder", request.folder.string(),
                   "name one that exists");
  auto spool = std::make_unique<SpoolFolder>(request.folder);
  if (spool->path().empty())
    return failure(ErrorKind::environment, "no file can be made in this folder",
                   request.folder.string(), "choose another folder");
  request.settings.live = true;
  request.settings.folder = spool->path();
  ProgramRequest program{request.words, request.settings, 0, false, "", "", true};
  if (request.alone) {
    program.folder = request.folder.string();
    program.output = spool->path() + "/output.txt";
  }
  Result<WatchedProgram> started = WatchedProgram::start(program);
  if (!started) return tl::unexpected(started.error());
  std::unique_ptr<LiveCapture> live(new LiveCapture(std::move(request), std::move(*started)));
  live->spool_ = std::move(spool);
  return live;
}

void LiveCapture::say(std::string words) {
  if (!messages_.empty() && messages_.back() == words) return;
  if (messages_.size() < kMostMessages) messages_.push_back(std::move(words));
  ++revision_;
}

void LiveCapture::see(const CaptureReport& report) {
  ++revision_;
  if (const auto* launches = std::get_if<LaunchesReport>(&report)) seen_.add(*launches);
  if (const auto* trouble = std::get_if<TroubleReport>(&report))
    say(joined(trouble->why, trouble->remedy));
  if (const auto* note = std::get_if<NoteReport>(&report)) say(note->words);
  // A process that has just started does not know what is waited for.
  if (std::holds_alternative<StartReport>(report) && waiting_ && !waiting_->packs)
    program_.ask(taking_);
  if (const auto* progress = std::get_if<ProgressReport>(&report)) {
    if (!waiting_ || waiting_->id != progress->request) return;
    waiting_->words = progress->name;
    waiting_->done_bytes = progress->done_bytes;
    waiting_->of_bytes = progress->of_bytes;
  }
  const auto answered = [this](std::int64_t request) {
    // The first answer counts; other processes need not look any more.
    if (request > 0) program_.ask(StopRequest{request});
    if (waiting_ && waiting_->id == request) waiting_.reset();
  };
  if (const auto* taken = std::get_if<TakenReport>(&report)) {
    answered(taken->request);
    to_pack_.push_back(*taken);
  }
  if (const auto* refused = std::get_if<RefusedReport>(&report)) {
    answered(refused->request);
    const std::string which = refused->name.empty()
                                  ? ""
                                  : "launch " + std::to_string(refused->number) + " of " +
                                        visible_name(refused->name) + " was not captured: ";
    say(which + joined(refused->why, refused->remedy));
  }
}

void LiveCapture::pack_next() {
  if (packing_.valid()) {
    if (packing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    Result<KeptCapture> kept = packing_.get();
    ++revision_;
    if (waiting_ && waiting_->packs) waiting_.reset();
    if (kept) {
      kept_.push_back(std::move(*kept));
    } else {
      say(sentence(kept.error()));
    }
  }
  if (to_pack_.empty()) return;
  const TakenReport taken = std::move(to_pack_.front());
  to_pack_.pop_front();
  const std::string path = free_capture_name(request_.folder, taken.symbol).string();
  if (!waiting_) waiting_ = Waiting{0, taken.name, true, 0, 0};
  packing_ = std::async(std::launch::async, [file = taken.file, words = request_.words, path] {
    return keep_capture(file, words, path);
  });
}

void LiveCapture::update(int wait_ms) {
  program_.serve(wait_ms, [this](const CaptureReport& report) { see(report); });
  pack_next();
  if (!program_.has_ended() || told_end_ || program_.runs()) return;
  told_end_ = true;
  end_ = Clock::now();
  const ProgramEnd& end = program_.ended();
  if (!end.how.empty() && asked_to_end_ == 0) say("the program " + end.how);
  if (waiting_ && !waiting_->packs) {
    say("the program ended before such a launch came: " + waiting_->words);
    waiting_.reset();
  }
  if (seen_.launches() == 0 && messages_.empty())
    say(end.processes == 0 ? "the program did not use CUDA" : "the program launched no kernel");
}

Result<void> LiveCapture::take(TakeRequest request, std::string words) {
  if (waiting_)
    return failure(ErrorKind::usage, "a launch is waited for or being saved", "",
                   "wait for it, or cancel it");
  if (program_.has_ended())
    return failure(ErrorKind::usage, "the program has ended", "", "start it again");
  CaptureSettings settings;
  settings.kernel = request.kernel;
  if (const Result<LaunchSelection> readable = LaunchSelection::of(settings); !readable) {
    Error error = readable.error();
    error.what = "it is not a regular expression: “" + request.kernel + "”";
    return tl::unexpected(std::move(error));
  }
  request.id = ++last_id_;
  taking_ = std::move(request);
  waiting_ = Waiting{taking_.id, std::move(words), false, 0, 0};
  program_.ask(taking_);
  ++revision_;
  return {};
}

Result<void> LiveCapture::take_next(const std::string& kernel) {
  TakeRequest request;
  request.kernel = kernel;
  return take(std::move(request), kernel.empty()
                                      ? "the next launch"
                                      : "the next launch of a kernel with “" + kernel + "”");
}

Result<void> LiveCapture::take_like(const std::string& symbol, const std::optional<Launch>& shape) {
  TakeRequest request;
  request.symbol = symbol;
  request.like = shape;
  return take(std::move(request), "the next launch of " + demangled_name(symbol.c_str()) +
                                      (shape ? ", " + shape_text(*shape) : ""));
}

Result<void> LiveCapture::take_slowest() {
  const std::optional<TallyRow> slowest = seen_.longest([](const TallyRow&) { return true; });
  if (slowest) return take_like(slowest->symbol, slowest->launch);
  return failure(ErrorKind::usage, "no launch was timed yet", "",
                 "wait until a kernel was launched twice");
}

void LiveCapture::cancel() {
  if (!waiting_ || waiting_->packs) return;
  program_.ask(StopRequest{waiting_->id});
  // What is being saved says itself that it was given up.
  if (waiting_->of_bytes == 0) waiting_.reset();
  ++revision_;
}

void LiveCapture::end_program() {
  program_.signal(asked_to_end_++ == 0 ? SIGTERM : SIGKILL);
  ++revision_;
}

bool LiveCapture::runs() const {
  return program_.runs() || !told_end_ || packing_.valid() || !to_pack_.empty();
}

double LiveCapture::seconds() const {
  return std::chrono::duration<double>((told_end_ ? end_ : Clock::now()) - start_).count();
}

std::vector<std::string> LiveCapture::last_output(std::size_t lines) const {
  constexpr std::streamoff kMostBytes = 4096;
  std::ifstream file(spool_->path() + "/output.txt", std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff bytes = file.tellg();
  file.seekg(std::max<std::streamoff>(0, bytes - kMostBytes));
  std::vector<std::string> all;
  for (std::string line; std::getline(file, line);) all.push_back(visible(line));
  if (all.size() > lines) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(lines));
  return all;
}

std::string LiveCapture::status() const {
  std::string text = program_.has_ended() ? "ended" : "runs";
  text += ", " + std::to_string(static_cast<long long>(seconds())) + " s";
  if (const auto processes = static_cast<std::int64_t>(seen_.processes()); processes > 1)
    text += ", " + plural(processes, "process", "processes");
  const std::int64_t launches = seen_.launches();
  text += ", " + grouped(launches) + (launches == 1 ? " launch" : " launches");
  if (seen_.graph_launches() > 0)
    text += ", and " + plural(seen_.graph_launches(), "launch", "launches") +
            " of CUDA graphs, whose kernels are not seen";
  return text;
}

}  // namespace warpscope
