/* Writes a picture with up to 256 colours as a PNG file, without any library.
 *
 * The pixels are stored, not compressed: a file is about as large as the picture has pixels.
 */
#ifndef EXAMPLES_PNG_H
#define EXAMPLES_PNG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A PNG file is a signature and chunks: length, name, data, checksum over name and data. */
struct png_chunk {
    FILE *file;
    uint32_t crc;
};

static uint32_t png_crc(uint32_t crc, const unsigned char *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return crc;
}

static void png_bytes(struct png_chunk *c, const void *data, size_t n)
{
    c->crc = png_crc(c->crc, data, n);
    fwrite(data, 1, n, c->file);
}

/* Numbers stand with their highest byte first. */
static void png_number(struct png_chunk *c, uint32_t x)
{
    unsigned char b[4] = {(unsigned char)(x >> 24), (unsigned char)(x >> 16), (unsigned char)(x >> 8),
                          (unsigned char)x};
    png_bytes(c, b, 4);
}

static struct png_chunk png_begin(FILE *file, const char *name, size_t length)
{
    struct png_chunk c = {file, 0};
    png_number(&c, (uint32_t)length);
    c.crc = 0xffffffffu;
    png_bytes(&c, name, 4);
    return c;
}

static void png_end(struct png_chunk *c)
{
    png_number(c, ~c->crc);
}

/* The pixels as a zlib stream of stored blocks, which hold at most 65535 bytes each. */
static void png_pixels(FILE *file, const unsigned char *raw, size_t n)
{
    enum { BLOCK = 65535 };
    size_t blocks = (n + BLOCK - 1) / BLOCK;
    struct png_chunk c = png_begin(file, "IDAT", 2 + 5 * blocks + n + 4);
    png_bytes(&c, "\x78\x01", 2);
    uint32_t a = 1, b = 0; /* the stream's own checksum, Adler-32 */
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t len = n - at < BLOCK ? n - at : BLOCK;
        unsigned char head[5] = {at + len == n, (unsigned char)len, (unsigned char)(len >> 8),
                                 (unsigned char)~len, (unsigned char)(~len >> 8)};
        png_bytes(&c, head, 5);
        png_bytes(&c, raw + at, len);
        for (size_t i = 0; i < len; i++) {
            a = (a + raw[at + i]) % 65521;
            b = (b + a) % 65521;
        }
    }
    png_number(&c, b << 16 | a);
    png_end(&c);
}

/* Writes `height` rows of `width` colour numbers. palette: 256 times red, green, blue.
 * Returns 0, or -1 with errno set when the file cannot be written. */
static int png_write(const char *name, const unsigned char *pixels, size_t width, size_t height,
                     const unsigned char palette[768])
{
    /* Every row begins with the number of its filter: none. */
    unsigned char *raw = malloc((width + 1) * height);
    FILE *file = raw ? fopen(name, "wb") : NULL;
    if (!file) {
        free(raw);
        return -1;
    }
    for (size_t y = 0; y < height; y++) {
        unsigned char *row = raw + y * (width + 1);
        *row = 0;
        for (size_t x = 0; x < width; x++)
            row[1 + x] = pixels[y * width + x];
    }

    fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
    struct png_chunk c = png_begin(file, "IHDR", 13);
    png_number(&c, (uint32_t)width);
    png_number(&c, (uint32_t)height);
    png_bytes(&c, "\x08\x03\x00\x00\x00", 5); /* 8 bits, by palette, no interlacing */
    png_end(&c);
    c = png_begin(file, "PLTE", 768);
    png_bytes(&c, palette, 768);
    png_end(&c);
    png_pixels(file, raw, (width + 1) * height);
    c = png_begin(file, "IEND", 0);
    png_end(&c);

    free(raw);
    int failed = ferror(file);
    return fclose(file) || failed ? -1 : 0;
}

#endif
