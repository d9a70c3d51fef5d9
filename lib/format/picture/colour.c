/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kinds of frames, and their colours. The kind of code decides the hue, and the name decides the shade. All colours are
 * light, so that black text on them has a contrast of more than 4.5 to 1 (WCAG 2). Kinds differ in lightness or hue, so
 * that people who cannot distinguish red and green can tell them apart.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "base/path.h"
#include "format/picture/picture.h"

/* The colours that frames of one kind may have. The hue is from hue to hue + hues, in degrees. The lightness is from
 * lightness to lightness + lightnesses, in percent. The saturation is always the same, in percent. */
struct palette {
    const char *name;
    unsigned hue, hues, saturation, lightness, lightnesses;
};

static const struct palette palettes[PICTURE_KINDS] = {
    [PICTURE_ALL] = {"all", 35, 0, 12, 84, 0},
    [PICTURE_PROCESS] = {"process", 35, 0, 14, 78, 6},
    [PICTURE_PROGRAM] = {"program", 16, 20, 92, 64, 9},
    [PICTURE_LIBRARY] = {"library", 172, 48, 56, 68, 11},
    [PICTURE_JIT] = {"JIT", 92, 34, 48, 66, 9},
    [PICTURE_KERNEL] = {"kernel", 268, 22, 52, 78, 7},
    [PICTURE_ASLEEP] = {"asleep", 226, 14, 26, 80, 7},
    [PICTURE_MARK] = {"not known", 0, 0, 0, 80, 0},
};

const char *picture_kind_name(enum picture_kind kind)
{
    return palettes[kind].name;
}

/* Returns true if a file name is the name of a library. `base` is the last part of a path. */
static bool is_library(const char *base)
{
    const char *so = strstr(base, ".so");
    return so != NULL && (so[3] == '\0' || so[3] == '.' || so[3] == '-');
}

enum picture_kind picture_kind_of(const struct profile *profile, uint32_t index)
{
    const struct profile_object *object = &profile->objects[index];

    if (strncmp(profile->strings[object->path], "[kernel", 7) == 0) /* perf's name for the kernel */
        return PICTURE_KERNEL;
    switch (object->kind) {
    case PROFILE_OBJECT_FILE:
        return is_library(path_base_name(profile->strings[object->path])) ? PICTURE_LIBRARY : PICTURE_PROGRAM;
    case PROFILE_OBJECT_VDSO:
        return PICTURE_KERNEL;
    case PROFILE_OBJECT_ANON:
        return PICTURE_JIT;
    default:
        return PICTURE_MARK;
    }
}

static unsigned char channel(double hue, double saturation, double lightness, double offset)
{
    double k = fmod(offset + hue / 30, 12);
    double a = saturation * fmin(lightness, 1 - lightness);
    double value = lightness - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1));
    return (unsigned char)(value * 255 + 0.5);
}

/* Converts a colour from HSL to RGB by the algorithm in CSS Color 4, section 7.1. hue is in degrees. saturation and
 * lightness are from 0 to 1. */
static struct picture_colour from_hsl(double hue, double saturation, double lightness)
{
    return (struct picture_colour){channel(hue, saturation, lightness, 0), channel(hue, saturation, lightness, 8),
                                   channel(hue, saturation, lightness, 4)};
}

/* Returns the 32-bit FNV-1a hash of a text. */
static uint32_t hash_text(const char *text)
{
    uint32_t hash = 2166136261u;

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

struct picture_colour picture_colour_of(const struct picture_name *name)
{
    const struct palette *palette = &palettes[name->kind];
    uint32_t hash = hash_text(name->text), hue = hash >> 8, shade = hash >> 16;

    if (name->kind == PICTURE_LIBRARY) /* functions of one library get similar hues */
        hue = hash_text(name->object) % (palette->hues / 2) + hue % (palette->hues / 2);
    return from_hsl(palette->hue + hue % (palette->hues + 1), palette->saturation / 100.0,
                    (palette->lightness + shade % (palette->lightnesses + 1)) / 100.0);
}

struct picture_colour picture_colour_of_kind(enum picture_kind kind)
{
    const struct palette *palette = &palettes[kind];

    return from_hsl(palette->hue + palette->hues / 2.0, palette->saturation / 100.0,
                    (palette->lightness + palette->lightnesses / 2.0) / 100.0);
}

/* --- changes ------------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t all)
{
    return all == 0 ? 0 : (double)part / (double)all;
}

double picture_change(const struct picture_tree *tree, uint32_t index)
{
    const struct picture_frame *frame = &tree->frames[index], *root = &tree->frames[0];

    return share(frame->total.value, root->total.value) - share(frame->old_total.value, root->old_total.value);
}

double picture_largest_change(const struct picture_tree *tree)
{
    double largest = 0;

    for (uint32_t i = 0; i < tree->frame_count; i++)
        largest = fmax(largest, fabs(picture_change(tree, i)));
    return largest;
}

/* Returns the colour of a change. `strength` is from -1 (the largest decrease) to 1 (the largest increase). */
static struct picture_colour colour_of(double strength)
{
    if (strength > 0)
        return from_hsl(6, 0.55 + 0.33 * strength, 0.90 - 0.24 * strength);
    if (strength < 0)
        return from_hsl(216, 0.55 - 0.33 * strength, 0.91 + 0.22 * strength);
    return from_hsl(40, 0.10, 0.90);
}

struct picture_colour picture_colour_of_change(const struct picture_tree *tree, uint32_t frame, double largest)
{
    double change = picture_change(tree, frame);

    if (largest <= 0 || tree->frames[frame].verdict == DIFF_CHANCE)
        return colour_of(0);
    return colour_of(copysign(sqrt(fabs(change) / largest), change));
}

struct picture_colour picture_colour_of_direction(int direction)
{
    return colour_of(0.8 * direction);
}
