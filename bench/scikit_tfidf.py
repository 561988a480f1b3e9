#!/usr/bin/python3
"""TF-IDF by scikit-learn, for the benchmark: prints JSON.     scikit_tfidf.py TEXTS"""
import json
import sys
import time

from sklearn.feature_extraction.text import TfidfVectorizer

start = time.perf_counter()
with open(sys.argv[1], encoding="utf-8") as file:
    matrix = TfidfVectorizer(token_pattern=r"(?u)\w+").fit_transform(file.read().splitlines())
print(json.dumps({"seconds": time.perf_counter() - start, "words": matrix.shape[1], "nonzeros": matrix.nnz}))
