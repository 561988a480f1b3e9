/* Calls the encoder of its kind; nothing is computed here. */
#include "encoders/encoder.h"

#include "base/sys.h"

ni_encoder_shape ni_encoder_shape_of(const ni_encoding *encoding, uint32_t d, uint32_t c)
{
    if (encoding->encoder == NI_ENCODER_LSTM) return (ni_encoder_shape){ d, c, 4 * c, 2 * c };
    return (ni_encoder_shape){ (uint64_t)encoding->kernel * d, 0, c, 0 };
}

ni_encoder ni_encoder_of(const ni_encoding *encoding, uint32_t d, uint32_t c, const float *W,
                         const float *U, const float *b)
{
    if (encoding->encoder == NI_ENCODER_LSTM)
        return (ni_encoder){ .kind = NI_ENCODER_LSTM,
                             .lstm = { .d = d, .h = c / 2, .W = W, .U = U, .b = b } };
    return (ni_encoder){ .kind = NI_ENCODER_CNN,
                         .cnn = { .width = encoding->kernel,
                                  .d = d,
                                  .c = c,
                                  .tanh = encoding->activation == NI_ACTIVATION_TANH,
                                  .W = W,
                                  .b = b } };
}

uint64_t ni_encoder_rows(const ni_encoder *e, uint32_t sequences, uint64_t length)
{
    return e->kind == NI_ENCODER_LSTM ? ni_lstm_rows(sequences, length)
                                      : ni_cnn_rows(&e->cnn, sequences, length);
}

uint64_t ni_encoder_lay_out(const ni_encoder *e, const uint32_t *length, uint32_t count, uint64_t *first)
{
    return e->kind == NI_ENCODER_LSTM ? ni_lstm_lay_out(length, count, first)
                                      : ni_cnn_lay_out(&e->cnn, length, count, first);
}

ni_encoder_memory ni_encoder_carve(const ni_encoder *e, uint64_t rows, uint32_t sequences, uint32_t threads,
                                   bool learns, ni_carver *c)
{
    ni_encoder_memory m = { 0 };
    bool lstm = e->kind == NI_ENCODER_LSTM;
    uint64_t d = ni_encoder_d(e), out = ni_encoder_c(e), b = lstm ? 4 * out : out;
    uint64_t W = lstm ? d * b : e->cnn.width * d * out, U = lstm ? out * 2 * out : 0;
    if (lstm) m.lstm = ni_lstm_carve(&e->lstm, rows, sequences, threads, c);
    m.dW = ni_carve(c, learns ? W : 0, sizeof *m.dW);
    m.dU = ni_carve(c, learns ? U : 0, sizeof *m.dU);
    m.db = ni_carve(c, learns ? b : 0, sizeof *m.db);
    return m;
}

void ni_encoder_forward(const ni_encoder *e, const ni_packed *p, const float *X, float *H,
                        ni_encoder_memory *m, ni_threads *threads)
{
    if (e->kind == NI_ENCODER_LSTM) ni_lstm_forward(&e->lstm, p, X, H, &m->lstm, threads);
    else ni_cnn_forward(&e->cnn, p, X, H, threads);
}

void ni_encoder_forward_shared(const ni_encoder *e, const ni_packed *p, const uint32_t *slot,
                               const float *D, uint32_t distinct, bool keep, float *T, float *H,
                               ni_encoder_memory *m, ni_threads *threads)
{
    if (e->kind == NI_ENCODER_LSTM)
        ni_lstm_forward_shared(&e->lstm, p, slot, D, distinct, keep, T, H, &m->lstm, threads);
    else ni_cnn_forward_shared(&e->cnn, p, slot, D, distinct, T, H, threads);
}

void ni_encoder_backward(const ni_encoder *e, const ni_packed *p, const float *X, const float *H, float *dH,
                         ni_encoder_memory *m, float *dX, ni_threads *threads)
{
    if (e->kind == NI_ENCODER_LSTM)
        ni_lstm_backward(&e->lstm, p, X, H, dH, &m->lstm, dX, m->dW, m->dU, m->db, threads);
    else ni_cnn_backward(&e->cnn, p, X, H, dH, dX, m->dW, m->db, threads);
}
