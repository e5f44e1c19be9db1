#include "server/convert/node_convert.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/problem/instance/fields.h"
#include "google/protobuf/reflection.h"
#include "server/convert/message_fields.h"

namespace vrp {
namespace {

class NodeConverter {
 public:
  NodeConverter(const v1::Instance& message, size_t load_dimensions, InstanceData& data,
                ViolationList& errors)
      : message_(message),
        depots_(static_cast<size_t>(message.depots_size())),
        nodes_(depots_ + static_cast<size_t>(message.customers_size())),
        dimensions_(load_dimensions),
        data_(data),
        errors_(errors) {}

  void Run() {
    ConvertIds();
    ConvertPositions();
    ConvertNodeFields();
    CheckLoads();
    ConvertWindows();
  }

 private:
  void ConvertIds() {
    data_.ids.reserve(nodes_);
    const auto add = [this](const std::string& id) {
      data_.ids.push_back(id.empty() ? Concat(data_.ids.size()) : id);
    };
    for (const v1::Depot& depot : message_.depots()) add(depot.id());
    for (const v1::Customer& customer : message_.customers()) add(customer.id());
  }

  // Converts positions. Either all nodes have a location, or none has one and there is a matrix.
  void ConvertPositions() {
    std::vector<std::string> absent;
    const auto add = [&](const auto& node, std::string_view list, int index) {
      if (!node.has_location()) absent.push_back(Concat(list, "[", index, "].location"));
      data_.positions.push_back({node.location().x(), node.location().y()});
    };
    for (int i = 0; i < message_.depots_size(); ++i) add(message_.depots(i), "depots", i);
    for (int i = 0; i < message_.customers_size(); ++i) add(message_.customers(i), "customers", i);
    if (absent.empty()) return;
    if (absent.size() < nodes_) {
      for (const std::string& field : absent)
        errors_.Add(field,
                    "absent, but other nodes have one; wanted one for all nodes or for none");
      return;
    }
    data_.positions.clear();
    if (!message_.has_distance_matrix() && message_.matrices().empty()) {
      errors_.Add("distance_matrix", "absent, wanted a matrix because no node has a location");
    }
  }

  const v1::Customer& CustomerAt(size_t node) const {
    return message_.customers(static_cast<int>(node - depots_));
  }

  // Converts the per-node fields that depend only on their own message field.
  void ConvertNodeFields() {
    ForEachNodeField(data_, [this](auto field, auto& values) {
      using enum FieldKind;
      constexpr FieldKind kKind = decltype(field)::kKind;
      if constexpr (kKind == kLoad) {
        values = Loads(MessageField(*v1::Customer::descriptor(), field.message));
      } else if constexpr (kKind == kTime || kKind == kPrize || kKind == kPriority ||
                           kKind == kSkills) {
        values = Values(field);
        if (field.name == "service") ReadLoadingTimes();
      } else {
        static_assert(
            kKind == kName || kKind == kPosition || kKind == kWindow || kKind == kFurtherWindows,
            "convert the field here, or in a function of its own");
      }
    });
  }

  // Returns the values of a field [N], or an empty vector if no customer differs from the default.
  template <typename Field>
  std::vector<typename Field::Value> Values(const Field& field) const {
    const auto& descriptor = MessageField(*v1::Customer::descriptor(), field.message);
    std::vector<typename Field::Value> values(nodes_, field.Default());
    bool any = false;
    for (size_t node = depots_; node < nodes_; ++node) {
      if constexpr (Field::kKind == FieldKind::kSkills) {
        values[node] = ReadTexts(CustomerAt(node), descriptor);
      } else {
        ReadScalar(CustomerAt(node), descriptor, values[node]);
      }
      any |= !(values[node] == field.Default());
    }
    if (!any) values.clear();
    return values;
  }

  // Adds the service times of depots.
  void ReadLoadingTimes() {
    for (size_t depot = 0; depot < depots_; ++depot) {
      const double time = message_.depots(static_cast<int>(depot)).service_time();
      if (time == 0) continue;
      data_.services.resize(nodes_, 0.0);
      data_.services[depot] = time;
    }
  }

  // Returns the loads [N, K] of a field, or an empty vector if all are 0.
  std::vector<double> Loads(const google::protobuf::FieldDescriptor& descriptor) const {
    std::vector<double> all(nodes_ * dimensions_, 0);
    bool any = false;
    for (size_t node = depots_; node < nodes_; ++node) {
      const v1::Customer& customer = CustomerAt(node);
      const auto& loads =
          customer.GetReflection()->GetRepeatedFieldRef<double>(customer, &descriptor);
      for (int k = 0; k < loads.size(); ++k) {
        all[node * dimensions_ + static_cast<size_t>(k)] = loads.Get(k);
        any |= loads.Get(k) != 0;
      }
    }
    if (!any) all.clear();
    return all;
  }

  void CheckLoads() {
    const bool any = !data_.demands.empty() || !data_.backhauls.empty() || !data_.pickups.empty();
    if (data_.kind == ProblemKind::kTsp && any) {
      errors_.Add("problem_type", "got PROBLEM_TYPE_TSP, but customers have demands, backhauls or ",
                  "pickups; wanted PROBLEM_TYPE_CVRP or _VRPTW");
    }
  }

  void ConvertWindows() {
    const bool any = HasTimeWindow(message_);
    if (any && data_.kind != ProblemKind::kVrptw) {
      errors_.Add("problem_type", "got ", v1::ProblemType_Name(message_.problem_type()),
                  ", but time windows are given; wanted PROBLEM_TYPE_VRPTW");
    } else if (!any && data_.kind == ProblemKind::kVrptw) {
      errors_.Add("problem_type",
                  "got PROBLEM_TYPE_VRPTW, but no time window is given; wanted PROBLEM_TYPE_CVRP");
    }
    if (!any) return;
    data_.windows.reserve(nodes_);
    for (const v1::Depot& depot : message_.depots()) {
      ReadFields(depot.time_window(), dimensions_, data_.windows.emplace_back());
    }
    for (const v1::Customer& customer : message_.customers()) {
      const size_t node = data_.windows.size();
      TimeWindow& first = data_.windows.emplace_back();
      if (customer.time_windows_size() > 0) {
        ReadFields(customer.time_windows(0), dimensions_, first);
      }
      if (customer.time_windows_size() > 1) data_.further_windows.resize(nodes_);
      for (int i = 1; i < customer.time_windows_size(); ++i) {
        ReadFields(customer.time_windows(i), dimensions_,
                   data_.further_windows[node].emplace_back());
      }
    }
  }

  const v1::Instance& message_;
  const size_t depots_;
  const size_t nodes_;
  const size_t dimensions_;
  InstanceData& data_;
  ViolationList& errors_;
};

}  // namespace

bool HasTimeWindow(const v1::Instance& message) {
  for (const v1::Depot& depot : message.depots()) {
    if (depot.has_time_window()) return true;
  }
  for (const v1::Customer& customer : message.customers()) {
    if (customer.time_windows_size() > 0) return true;
  }
  return false;
}

int MaxLoadDimensions(const v1::Instance& message) {
  int max_loads = 0;
  ForEachNodeField([&](auto field) {
    if constexpr (field.kKind == FieldKind::kLoad) {
      const auto& loads = MessageField(*v1::Customer::descriptor(), field.message);
      for (const v1::Customer& customer : message.customers()) {
        max_loads = std::max(max_loads, customer.GetReflection()->FieldSize(customer, &loads));
      }
    }
  });
  return max_loads;
}

void ConvertNodes(const v1::Instance& message, size_t load_dimensions, InstanceData& data,
                  ViolationList& errors) {
  NodeConverter(message, load_dimensions, data, errors).Run();
}

}  // namespace vrp
