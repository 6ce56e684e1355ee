// profiling/capture/reports.cpp: reports as JSON and back, and the socket that they go to.
#include "profiling/capture/reports.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

namespace warpscope {
namespace {

using nlohmann::json;

json encode(const TallyRow& r) {
  const Dim3 &g = r.launch.grid, &b = r.launch.block;
  return {{"symbol", r.symbol},
          {"range", r.range},
          {"shape", {g.x, g.y, g.z, b.x, b.y, b.z, r.launch.dynamic_shared_bytes}},
          {"launches", r.launches},
          {"timed", r.timed},
          {"time_ms", r.time_ms},
          {"longest_ms", r.longest_ms},
          {"longest_number", r.longest_number}};
}

TallyRow row_of(const json& object) {
  TallyRow r;
  r.symbol = object.at("symbol");
  r.range = object.at("range");
  const auto shape = object.at("shape").get<std::vector<std::int64_t>>();
  if (shape.size() == 7) {
    r.launch.grid = {shape[0], shape[1], shape[2]};
    r.launch.block = {shape[3], shape[4], shape[5]};
    r.launch.dynamic_shared_bytes = shape[6];
  }
  r.launches = object.at("launches");
  r.timed = object.at("timed");
  r.time_ms = object.at("time_ms");
  r.longest_ms = object.at("longest_ms");
  r.longest_number = object.at("longest_number");
  return r;
}

struct Encoder {
  json operator()(const StartReport& r) const {
    return {{"type", "start"}, {"process", r.process}, {"program", r.program}};
  }
  json operator()(const LaunchesReport& r) const {
    json rows = json::array();
    for (const TallyRow& row : r.rows) rows.push_back(encode(row));
    json spans = json::array();
    for (const LaunchSpan& s : r.spans) spans.push_back({s.row, s.start_ms, s.ms, s.stream});
    return {{"type", "launches"},
            {"process", r.process},
            {"rows", rows},
            {"graph_launches", r.graph_launches},
            {"spans", spans}};
  }
  json operator()(const TakenReport& r) const {
    return {{"type", "taken"},      {"file", r.file},       {"name", r.name},
            {"range", r.range},     {"number", r.number},   {"file_bytes", r.file_bytes},
            {"held_ms", r.held_ms}, {"request", r.request}, {"symbol", r.symbol}};
  }
  json operator()(const RefusedReport& r) const {
    return {{"type", "refused"}, {"name", r.name},     {"number", r.number},
            {"why", r.why},      {"remedy", r.remedy}, {"request", r.request}};
  }
  json operator()(const ProgressReport& r) const {
    return {{"type", "progress"},
            {"name", r.name},
            {"request", r.request},
            {"done_bytes", r.done_bytes},
            {"of_bytes", r.of_bytes}};
  }
  json operator()(const TroubleReport& r) const {
    return {{"type", "trouble"}, {"why", r.why}, {"remedy", r.remedy}};
  }
  json operator()(const NoteReport& r) const { return {{"type", "note"}, {"words", r.words}}; }
  json operator()(const EndReport&) const { return {{"type", "end"}}; }
};

CaptureReport decode(const json& object) {
  const std::string type = object.at("type");
  if (type == "start") return StartReport{object.at("process"), object.at("program")};
  if (type == "launches") {
    LaunchesReport r;
    for (const json& row : object.at("rows")) r.rows.push_back(row_of(row));
    r.process = object.at("process");
    r.graph_launches = object.at("graph_launches");
    for (const json& span : object.value("spans", json::array())) {
      const LaunchSpan s{span.at(0), span.at(1), span.at(2), span.at(3)};
      if (s.row < r.rows.size()) r.spans.push_back(s);
    }
    return r;
  }
  if (type == "taken") {
    return TakenReport{object.at("file"),
                       object.at("name"),
                       object.at("range"),
                       object.at("number"),
                       object.at("file_bytes"),
                       object.at("held_ms"),
                       object.value("request", std::int64_t{0}),
                       object.value("symbol", std::string())};
  }
  if (type == "refused") {
    return RefusedReport{object.at("name"), object.at("number"), object.at("why"),
                         object.at("remedy"), object.value("request", std::int64_t{0})};
  }
  if (type == "progress") {
    return ProgressReport{object.at("name"), object.at("request"), object.at("done_bytes"),
                          object.at("of_bytes")};
  }
  if (type == "trouble") return TroubleReport{object.at("why"), object.at("remedy")};
  if (type == "note") return NoteReport{object.at("words")};
  return EndReport{};
}

}  // namespace

std::string report_line(const CaptureReport& report) {
  return std::visit(Encoder{}, report).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<CaptureReport> report_of(const std::string& line) {
  try {
    return decode(json::parse(line));
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

Reports::~Reports() { forget(); }

bool Reports::open(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, socket.data(), socket.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return false;
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(descriptor);
    return false;
  }
  // Out of the way of programs that count on the lowest free descriptors.
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 200);
  descriptor_ = moved < 0 ? descriptor : moved;
  if (moved >= 0) ::close(descriptor);
  return true;
}

void Reports::send(const CaptureReport& report) {
  if (descriptor_ < 0) return;
  constexpr std::size_t kMostPending = 64 << 20;
  if (pending_.size() > kMostPending) return forget();
  pending_ += report_line(report);
  flush(0);
}

std::vector<CaptureRequest> Reports::received() {
  std::vector<CaptureRequest> all;
  constexpr std::size_t kMostAskedBytes = 1 << 20;
  char bytes[4096];
  while (descriptor_ >= 0) {
    const ssize_t count = ::recv(descriptor_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || asked_.size() > kMostAskedBytes) break;
    asked_.append(bytes, static_cast<std::size_t>(count));
  }
  std::size_t begin = 0;
  for (std::size_t at = asked_.find('\n'); at != std::string::npos; at = asked_.find('\n', begin)) {
    if (std::optional<CaptureRequest> request = request_of(asked_.substr(begin, at - begin)))
      all.push_back(std::move(*request));
    begin = at + 1;
  }
  asked_.erase(0, begin);
  return all;
}

void Reports::flush(int wait_ms) {
  while (!pending_.empty()) {
    const ssize_t sent =
        ::send(descriptor_, pending_.data(), pending_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      pending_.erase(0, static_cast<std::size_t>(sent));
      continue;
    }
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return forget();
    pollfd ready{descriptor_, POLLOUT, 0};
    if (wait_ms == 0 || ::poll(&ready, 1, wait_ms) <= 0) return;
  }
}

void Reports::close() {
  if (descriptor_ < 0) return;
  constexpr int kWaitMs = 2000;
  flush(kWaitMs);
  forget();
}

void Reports::forget() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  pending_.clear();
  asked_.clear();
}

}  // namespace warpscope
