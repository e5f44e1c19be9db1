#include "client/output/svg_plot.h"

#include <regex>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/messages.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;
using testing::Not;

int CountOccurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Whether all tags are closed in reverse order of opening and the text has no unescaped & or <.
bool IsWellFormed(const std::string& svg) {
  static const std::regex tag("<(/?)([a-z]+)((?:\\s+[A-Za-z0-9:-]+=\"[^\"<]*\")*)\\s*(/?)>");
  static const std::regex text("(?:[^<>&]|&(?:amp|lt|gt|quot|apos);)*");
  const std::string body = svg.substr(svg.find("?>") + 2);
  std::vector<std::string> open;
  auto position = body.cbegin();
  for (std::sregex_iterator it(body.begin(), body.end(), tag), end; it != end; ++it) {
    if (!std::regex_match(std::string(position, (*it)[0].first), text)) return false;
    position = (*it)[0].second;
    if ((*it)[1].length() > 0) {
      if (open.empty() || open.back() != (*it)[2]) return false;
      open.pop_back();
    } else if ((*it)[4].length() == 0) {
      open.push_back((*it)[2]);
    }
  }
  return open.empty() && std::regex_match(std::string(position, body.cend()), text);
}

TEST(SvgPlot, DrawsEveryRouteCustomerAndDepot) {
  const std::string svg = PlotSvg(ASolveResponse()).value();
  EXPECT_TRUE(IsWellFormed(svg)) << svg;
  EXPECT_EQ(CountOccurrences(svg, "<polyline"), 2);
  EXPECT_EQ(CountOccurrences(svg, "<circle"), 3);
  EXPECT_EQ(CountOccurrences(svg, "fill=\"black\"/>") + CountOccurrences(svg, "height=\"12\"/>"), 2)
      << "one depot, and one in the legend";
}

TEST(SvgPlot, FollowsTheStreetsOfALeg) {
  v1::SolveResponse response = ASolveResponse();
  v1::Route& route = *response.mutable_solution()->mutable_routes(0);
  // Google's example with six decimals: it bends at (-120.95, 40.7).
  route.add_leg_polylines("_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI");
  route.add_leg_polylines("malformed\x01");
  const std::string straight = PlotSvg(ASolveResponse()).value();
  const std::string svg = PlotSvg(response).value();
  EXPECT_TRUE(IsWellFormed(svg)) << svg;
  const auto points = [](const std::string& picture) {
    const size_t begin = picture.find("points=\"");
    return CountOccurrences(picture.substr(begin, picture.find("/>", begin) - begin), ",");
  };
  EXPECT_EQ(points(svg), points(straight) + 3);
}

TEST(SvgPlot, HasATitleAndALegend) {
  const std::string svg = PlotSvg(ASolveResponse()).value();
  EXPECT_THAT(svg, HasSubstr(">city</text>"));
  EXPECT_THAT(svg, HasSubstr("cost 110.5, gap +10.50 % vs file&apos;s reference 100, 2 routes"));
  EXPECT_THAT(svg, HasSubstr("route 1: 2 stops, 60.25, load 7"));
}

TEST(SvgPlot, EscapesNames) {
  v1::SolveResponse response = ASolveResponse();
  response.set_name("<b>\"A&B\"</b>\x01");
  response.mutable_solution()->mutable_routes(0)->mutable_stops(1)->set_id("<&>");
  const std::string svg = PlotSvg(response).value();
  EXPECT_TRUE(IsWellFormed(svg)) << svg;
  EXPECT_THAT(svg, HasSubstr("&lt;b&gt;&quot;A&amp;B&quot;&lt;/b&gt;</text>"));
}

TEST(SvgPlot, DrawsNorthUp) {
  const std::string svg = PlotSvg(ASolveResponse()).value();
  std::smatch north, south;
  ASSERT_TRUE(std::regex_search(svg, north,
                                std::regex("y=\"([0-9.]+)\" stroke=\"none\" fill=\"#444\">1<")));
  ASSERT_TRUE(std::regex_search(svg, south,
                                std::regex("y=\"([0-9.]+)\" stroke=\"none\" fill=\"#444\">3<")));
  EXPECT_LT(std::stod(north[1]), std::stod(south[1]));
}

TEST(SvgPlot, DrawsEqualLocations) {
  v1::SolveResponse response = ASolveResponse();
  for (v1::Route& route : *response.mutable_solution()->mutable_routes()) {
    for (v1::Stop& stop : *route.mutable_stops())
      stop.mutable_location()->set_x(1), stop.mutable_location()->set_y(1);
  }
  const std::string svg = PlotSvg(response).value();
  EXPECT_TRUE(IsWellFormed(svg));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(SvgPlot, KeepsTheLegendShort) {
  v1::SolveResponse response = ASolveResponse();
  const v1::Route route = response.solution().routes(0);
  for (int i = 0; i < 98; ++i) *response.mutable_solution()->add_routes() = route;
  EXPECT_THAT(PlotSvg(response).value(), HasSubstr("and 70 more"));
}

TEST(SvgPlot, RefusesStopsWithoutALocation) {
  v1::SolveResponse response = ASolveResponse();
  response.mutable_solution()->mutable_routes(1)->mutable_stops(1)->clear_location();
  const absl::Status status = PlotSvg(response).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("stop 3 has no location"));
}

TEST(SvgPlot, RefusesAPlanWithoutRoutes) {
  EXPECT_EQ(PlotSvg(v1::SolveResponse()).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace vrp::client
