// SPDX-License-Identifier: LGPL-2.1-or-later
// Usual C++: inlined templates, virtual calls, and exceptions that are thrown through them.
#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct shape {
    virtual ~shape() = default;
    virtual double area(int depth) const = 0;
};

struct square : shape {
    double side;
    explicit square(double s) : side(s) {}
    double area(int depth) const override
    {
        if (depth == 0 && side > 90)
            throw std::runtime_error("too large: " + std::to_string(side));
        return depth == 0 ? side * side : area(depth - 1) + 1;
    }
};

struct group : shape {
    std::vector<std::unique_ptr<shape>> parts;
    double area(int depth) const override
    {
        double sum = 0;
        for (const auto &part : parts) {
            std::string held = "held while it is thrown through";
            sum += part->area(depth % 17) + static_cast<double>(held.size());
        }
        return sum;
    }
};

static double total(const std::map<std::string, group> &groups, int turn)
{
    double sum = 0;
    for (const auto &[name, each] : groups) {
        try {
            sum += each.area(turn + static_cast<int>(name.size()));
        } catch (const std::exception &error) {
            sum += error.what()[0];
        }
    }
    return sum;
}

int main()
{
    std::map<std::string, group> groups;
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 9; j++)
            groups["group " + std::to_string(i)].parts.push_back(
                std::make_unique<square>((i * 31 + j * 17) % 97));
    volatile double sum = 0;
    for (int turn = 0;; turn++) {
        sum = sum + total(groups, turn);
        std::vector<int> numbers(300);
        std::generate(numbers.begin(), numbers.end(), [&] { return (turn = turn * 1103515245 + 12345) & 0xffff; });
        std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a % 251 < b % 251; });
        sum = sum + numbers[7];
    }
}
