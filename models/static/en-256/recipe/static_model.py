"""Static ("model2vec"-style) embedder from teacher vectors: PCA, SIF weights, int8."""
import json, os
import numpy as np
from tokenizers import Tokenizer
from wordfreq import word_frequency

def tokenizer(mdir):
    tk = Tokenizer.from_file(mdir + '/tokenizer.json'); tk.no_padding(); tk.no_truncation(); return tk

def token_probs(tk, corpus_counts=None):
    """Unigram probability of every piece: wordfreq for whole words, corpus counts (if given) for continuation pieces."""
    inv = {i: t for t, i in tk.get_vocab().items()}; n = len(inv)
    p = np.array([0 if inv[i].startswith('##') or inv[i].startswith('[') else word_frequency(inv[i], 'en') for i in range(n)])
    rank = 1 / np.maximum(1, np.arange(n) - 1995); rank /= rank.sum()             # BERT's vocabulary is roughly frequency ordered
    return np.where(p > 0, p, np.minimum(rank, 1e-4) if corpus_counts is None else corpus_counts)

def sif(p, a): return a / (a + p)

def pca(V, dim, drop=0, weights=None):
    w = np.ones(len(V)) if weights is None else weights
    mu = (V * w[:, None]).sum(0) / w.sum(); X = V - mu
    val, vec = np.linalg.eigh((X * w[:, None]).T @ X / w.sum()); o = np.argsort(-val)[drop:drop + dim]
    return X @ vec[:, o]

def quantise(M):
    """Per-row symmetric int8: row = scale * int8."""
    s = np.abs(M).max(1) / 127; s[s == 0] = 1; return np.clip(np.round(M / s[:, None]), -127, 127).astype(np.int8), s.astype(np.float32)

class Static:
    def __init__(s, tk, M): s.tk, s.M = tk, M               # M already carries the token weights
    def encode(s, texts):
        out = np.zeros((len(texts), s.M.shape[1]), np.float32)
        for i, e in enumerate(s.tk.encode_batch(texts, add_special_tokens=False)):
            if e.ids: out[i] = s.M[e.ids].sum(0)
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
