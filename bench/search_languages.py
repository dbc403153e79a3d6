"""Requests in thirteen languages over the tools of LiveMCPBench, nearly all of which are described in English.

They are our own, written from the tools' descriptions; whoever asks is content with any of the tools named.
"""

from __future__ import annotations

REQUESTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Wie wird das Wetter morgen in Berlin?", ("get_weather", "get_weather_by_city", "get_weather_byDateTimeRange")),
    (
        "¿Cuánto vale ahora la acción de Apple?",
        ("get_current_stock_price", "get_ticker_info", "get_stock_price_by_date"),
    ),
    ("Créer une nouvelle présentation avec des diapositives", ("create_presentation", "add_slide")),
    ("Сделай снимок экрана страницы в браузере", ("playwright_screenshot",)),
    ("列出文件夹里的文件", ("list_directory", "list_directory_with_sizes", "directory_tree")),
    ("パリのホテルを探して", ("airbnb_search",)),
    ("Encontre artigos da Wikipédia sobre Roma", ("search_wikipedia", "get_article", "get_summary")),
    ("Schreibe Text in eine Datei", ("write_file", "edit_file", "edit_block")),
    ("계산기로 이 식을 계산해 줘", ("calculate",)),
    ("что сейчас за время в Токио", ("get_current_time", "convert_time")),
    ("ما هو الوقت الحالي في لندن", ("get_current_time", "convert_time")),
    ("Pobierz transkrypcję filmu z YouTube", ("get_transcript",)),
    ("在地图上查找两点之间的路线", ("get_route_directions", "analyze_commute")),
    ("Recherche d'essais cliniques sur le cancer", ("trial_searcher", "trial_getter", "trial_protocol_getter")),
    ("Excel の表にデータを書き込む", ("excel_write_to_sheet",)),
    ("Trova ristoranti nelle vicinanze", ("find_nearby_places", "explore_area", "search_category")),
    ("Ein Kreisdiagramm zeichnen", ("generate_pie_chart",)),
    ("วาดกราฟเส้นจากข้อมูล", ("generate_line_chart",)),
    ("Найди статьи по биомедицине о гене BRCA1", ("article_searcher", "article_getter", "variant_searcher")),
    ("Obtener las noticias más recientes de una empresa en bolsa", ("get_news", "get_ticker_news")),
    ("워드 문서에 표를 추가해 주세요", ("add_table", "add_paragraph")),
    ("Bir web sitesinin site haritasını getir", ("get_sitemap_tree", "get_sitemap_pages", "parse_sitemap")),
    ("搜索大都会博物馆的藏品", ("search-museum-objects", "get-museum-object")),
    ("Trouver le prix de l'or", ("get_asset_price",)),
    ("GitHub の人気リポジトリを見せて", ("get_github_trending_repositories",)),
)
